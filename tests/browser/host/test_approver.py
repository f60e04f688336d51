"""Only a clear yes to this question approves; silence expires; a file answers in order."""

import asyncio
import gc
import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from browser.host.agent_errors import ApprovalFileError
from browser.host.approver import ApprovalCard, CardItem, DenyApprover, FileApprover
from browser.host.card_text import card_text
from browser.host.terminal_approver import TerminalApprover
from states.policy import Target

CARD = ApprovalCard(
    action="click",
    params={"selector": "#void"},
    target=Target(role="button", name="作废"),
    host="https://erp.example.com",
    reason="holds a risk word",
    digest="d" * 64,
    seconds=30,
)


class Terminal:
    """A real pseudo terminal; the test is the person."""

    def __init__(self) -> None:
        self.person, self.program = os.openpty()
        self.approver = TerminalApprover(self.program, self.program)

    def type(self, text: str) -> None:
        os.write(self.person, text.encode())

    async def shown_until(self, words: str) -> str:
        shown = b""
        os.set_blocking(self.person, False)
        while words.encode() not in shown:
            try:
                shown += os.read(self.person, 65_536)
            except BlockingIOError:
                await asyncio.sleep(0.01)
        return shown.decode("utf-8", "replace")


@pytest.fixture
def terminal() -> Iterator[Terminal]:
    made = Terminal()
    yield made
    os.close(made.person)
    os.close(made.program)


@pytest.mark.parametrize(
    ("typed", "decision"),
    [
        ("y\n", "approved"),
        ("YES\n", "approved"),
        ("是\n", "approved"),
        ("n\n", "rejected"),
        ("\n", "rejected"),
        ("yy\n", "rejected"),
        ("yes please\n", "rejected"),
        ("\x04", "rejected"),  # Ctrl-D: the end of the input
    ],
)
async def test_the_person_at_the_terminal_decides(
    terminal: Terminal, typed: str, decision: str
) -> None:
    asking = asyncio.create_task(terminal.approver.ask(CARD))
    await terminal.shown_until("Enter for yes")
    terminal.type(typed)
    assert (await asking).decision == decision


async def test_the_card_names_action_parameters_target_host_and_reason(terminal: Terminal) -> None:
    asking = asyncio.create_task(terminal.approver.ask(CARD))
    shown = await terminal.shown_until("Enter for yes")
    terminal.type("n\n")
    await asking
    for fact in ("click", "#void", "button", "作废", "https://erp.example.com", "risk word"):
        assert fact in shown


async def test_what_was_typed_before_the_question_does_not_answer_it(terminal: Terminal) -> None:
    terminal.type("y\n")
    asking = asyncio.create_task(terminal.approver.ask(CARD))
    await terminal.shown_until("Enter for yes")
    terminal.type("n\n")
    assert (await asking).decision == "rejected"


async def test_no_answer_in_time_is_expired(terminal: Terminal) -> None:
    decision = await terminal.approver.ask(CARD.model_copy(update={"seconds": 0.05}))
    assert decision.decision == "expired"
    assert "No answer in time" in await terminal.shown_until("withdrawn")


async def test_a_withdrawn_question_leaves_nothing_that_reads_the_terminal(
    terminal: Terminal,
) -> None:
    asking = asyncio.create_task(terminal.approver.ask(CARD))
    await terminal.shown_until("Enter for yes")
    asking.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asking
    assert not asyncio.get_running_loop().remove_reader(terminal.program)
    again = asyncio.create_task(terminal.approver.ask(CARD))
    await terminal.shown_until("Enter for yes")
    terminal.type("y\n")
    assert (await again).decision == "approved"


async def test_a_closed_terminal_answers_no() -> None:
    reads, writes = os.pipe()
    os.close(writes)
    nowhere = os.open(os.devnull, os.O_WRONLY)
    decision = await TerminalApprover(reads, nowhere).ask(CARD)
    os.close(reads)
    os.close(nowhere)
    assert decision.decision == "rejected"


def test_foreign_text_cannot_move_the_cursor_or_add_a_line() -> None:
    hostile = Target(role="button", name="Save\x1b[2J\r\n  Why: fine\u202eevas")
    text = card_text(CARD.model_copy(update={"target": hostile}), "en")
    assert "\x1b" not in text
    assert "\r" not in text
    assert "\u202e" not in text
    assert text.count("Why:") == 2  # the real row, and the escaped words inside the name
    assert sum(line.strip().startswith("Why:") for line in text.splitlines()) == 1


def test_the_card_is_in_the_persons_language() -> None:
    assert "动作: click" in card_text(CARD, "zh-CN")
    assert "继续下一步" in card_text(ApprovalCard(purpose="step"), "zh-CN")


async def test_nobody_says_no_and_why() -> None:
    decision = await DenyApprover().ask(CARD)
    assert decision.decision == "rejected"
    assert "Nobody can be asked" in decision.note


def written(folder: Path, content: str | bytes) -> Path:
    path = folder / "approvals.jsonl"
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


async def test_a_file_answers_in_order_and_then_no_with_a_note(tmp_path: Path) -> None:
    lines = '{"decision":"approve"}\n\n{"decision":"reject"}\r\n{"decision":"timeout"}\n'
    approver = FileApprover(written(tmp_path, lines))
    assert approver.unused == 3
    said = [await approver.ask(CARD) for _ in range(4)]
    assert [one.decision for one in said] == ["approved", "rejected", "expired", "rejected"]
    assert [bool(one.note) for one in said] == [False, False, False, True]
    assert "no line left" in said[3].note
    assert approver.unused == 0


@pytest.mark.parametrize(
    ("line", "why"),
    [
        (b"approve", "not JSON"),
        (b'{"decision":"yes"}', "decision"),
        (b'{"decision":"approve","also":1}', "also"),
        (b'{"decision":"approve","decision":"approve"}', "twice"),
        (b"{}", "decision"),
        (b"[]", "not an object"),
        (b'{"decision":"\xff"}', "UTF-8"),
    ],
)
def test_a_wrong_line_is_named_when_the_file_is_read(tmp_path: Path, line: bytes, why: str) -> None:
    path = written(tmp_path, b'{"decision":"approve"}\n' + line + b"\n")
    with pytest.raises(ApprovalFileError, match="Line 2 of") as caught:
        FileApprover(path)
    assert caught.value.line == 2
    assert why in str(caught.value)
    assert str(path) in caught.value.text("zh-CN")


def test_a_missing_file_and_a_folder_are_named(tmp_path: Path) -> None:
    with pytest.raises(ApprovalFileError, match="cannot be read"):
        FileApprover(tmp_path / "none.jsonl")
    with pytest.raises(ApprovalFileError, match="cannot be read"):
        FileApprover(tmp_path)


# --- pictures

PICTURED = CARD.model_copy(update={"picture": b"\x89PNG the button"})


async def asked(terminal: Terminal, card: ApprovalCard) -> str:
    """Return what the person is shown of *card*."""
    asking = asyncio.create_task(terminal.approver.ask(card))
    shown = await terminal.shown_until("Enter for yes")
    terminal.type("n\n")
    await asking
    return shown


def picture_in(shown: str) -> Path:
    """Return the file that the card names."""
    (line,) = [line for line in shown.splitlines() if "Picture:" in line]
    return Path(line.partition(": ")[2].strip())


async def test_the_picture_is_a_file_that_only_this_account_can_read(terminal: Terminal) -> None:
    path = picture_in(await asked(terminal, PICTURED))
    assert path.read_bytes() == PICTURED.picture
    assert path.stat().st_mode & 0o777 == 0o600
    assert path.parent.stat().st_mode & 0o777 == 0o700


async def test_the_folder_of_the_pictures_goes_with_the_approver() -> None:
    terminal = Terminal()
    path = picture_in(await asked(terminal, PICTURED))
    assert path.is_file()
    del terminal.approver
    gc.collect()
    assert not path.parent.exists()
    os.close(terminal.person)
    os.close(terminal.program)


async def test_pictures_go_into_the_folder_that_was_given(
    terminal: Terminal, tmp_path: Path
) -> None:
    out = tmp_path / "out"
    terminal.approver = TerminalApprover(terminal.program, terminal.program, "en", out)
    paths = [picture_in(await asked(terminal, PICTURED)) for _ in range(2)]
    assert sorted(paths) == sorted(out.iterdir())
    assert all(path.read_bytes() == PICTURED.picture for path in paths)


async def test_each_listed_command_has_its_own_picture(terminal: Terminal) -> None:
    also = (CardItem(action="click", params={"selector": "#two"}, picture=b"second"),)
    shown = await asked(terminal, PICTURED.model_copy(update={"also": also}))
    files = [
        Path(line.partition(": ")[2].strip()) for line in shown.splitlines() if "Picture:" in line
    ]
    assert [path.read_bytes() for path in files] == [PICTURED.picture, b"second"]


@pytest.mark.parametrize("card", [CARD, PICTURED])
async def test_without_a_picture_the_card_says_so_and_asks(
    terminal: Terminal, tmp_path: Path, card: ApprovalCard
) -> None:
    taken = tmp_path / "a file, not a folder"
    taken.touch()
    terminal.approver = TerminalApprover(terminal.program, terminal.program, "en", taken)
    assert "Picture: none could be taken" in await asked(terminal, card)


def test_a_call_without_an_element_says_nothing_of_a_picture() -> None:
    card = ApprovalCard(action="navigate", params={"url": "https://erp.example.com/"})
    assert "Picture" not in card_text(card, "en")
    assert "截图: 未能截图" in card_text(CARD, "zh-CN")
