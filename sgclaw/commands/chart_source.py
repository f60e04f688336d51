"""What the chart verbs take as CHART and TRACE: a name of the product, or a file."""

from pathlib import Path

from engine.chart.declaration import Chart
from engine.chart.load import load_chart
from sgclaw.errors import UsageError
from statecharts import chart_names, chart_text


def source_of(name: str) -> tuple[str, str]:
    """Return where the chart *name* stands, and its text.

    Raises:
        UsageError: there is no such chart, or its file cannot be read.
    """
    if name in chart_names():
        return f"statecharts/{name}.yaml", chart_text(name)
    path = Path(name)
    if path.suffix in (".yaml", ".yml") and path.is_file():
        try:
            return str(path), path.read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
            raise UsageError("chart_file_unreadable", path=path, why=str(error)) from error
    raise UsageError("chart_unknown", chart=name, known=", ".join(chart_names()))


def load_source(name: str) -> Chart:
    """Return the chart *name* with the names it may use.

    Raises:
        UsageError: there is no such chart.
        ChartError: it does not pass the lint.
    """
    from sgclaw.charts import names_for

    source, text = source_of(name)
    return load_chart(text, source=source, names=names_for(text))
