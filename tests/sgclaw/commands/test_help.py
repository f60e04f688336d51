"""Every command explains itself: what it takes, and one example to type."""

import argparse
from collections.abc import Iterator

import pytest

from sgclaw.cli import build_parser
from tests.sgclaw.commands.conftest import Cli

Command = tuple[str, ...]


def commands(parser: argparse.ArgumentParser, path: Command = ()) -> Iterator[Command]:
    yield path
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            for name, below in action.choices.items():
                yield from commands(below, (*path, name))


def parser_of(path: Command) -> argparse.ArgumentParser:
    parser = build_parser()
    for name in path:
        [group] = [a for a in parser._actions if isinstance(a, argparse._SubParsersAction)]
        parser = group.choices[name]
    return parser


COMMANDS = list(commands(build_parser()))


def test_the_commands_of_the_design_are_there() -> None:
    assert {
        ("run",), ("agent",), ("chart", "list"), ("chart", "show"), ("chart", "export"),
        ("chart", "check"), ("skills", "list"), ("skills", "lint"), ("skills", "sign"),
        ("skills", "verify"), ("audit", "show"), ("doctor",),
    } <= set(COMMANDS)  # fmt: skip


@pytest.mark.parametrize("path", COMMANDS, ids=" ".join)
def test_help_is_given_and_every_argument_is_explained(cli: Cli, path: Command) -> None:
    said = cli(*path, "--help")
    assert (said.code, said.err) == (0, "")
    for action in parser_of(path)._actions:
        if action.help == argparse.SUPPRESS or isinstance(action, argparse._SubParsersAction):
            continue
        name = action.option_strings[-1] if action.option_strings else action.dest
        assert action.help, f"{' '.join(path)} {name} is not explained"


@pytest.mark.parametrize("path", COMMANDS, ids=" ".join)
def test_a_command_with_arguments_shows_an_example_that_can_be_parsed(
    cli: Cli, path: Command
) -> None:
    parser = parser_of(path)
    own = {"help", "version", "json"}
    if all(action.dest in own for action in parser._actions):
        return
    text = cli(*path, "--help").out.lower()
    assert "example" in text
    assert f"sgclaw {' '.join(path)}".strip() in text.split("example", 1)[1]
