"""The charts that are the program, as text, and the JSON Schema of their vocabulary."""

from pathlib import Path

from states.errors import SgclawError

_FOLDER = Path(__file__).parent


class ChartMissingError(SgclawError):
    """No chart of that name is part of the product."""

    def __init__(self, name: str) -> None:
        super().__init__("chart_missing", name=name, known=", ".join(chart_names()))


def chart_names() -> tuple[str, ...]:
    """Return the names of the charts, sorted."""
    return tuple(sorted(path.stem for path in _FOLDER.glob("*.yaml")))


def chart_text(name: str) -> str:
    """Return the chart *name* byte for byte, so that its SHA-256 is the file's.

    Raises:
        ChartMissingError: there is no such chart.
    """
    if name not in chart_names():
        raise ChartMissingError(name)
    return (_FOLDER / f"{name}.yaml").read_bytes().decode()


def schema_text() -> str:
    """Return the JSON Schema of a chart."""
    return (_FOLDER / "schema.json").read_bytes().decode()
