"""The host checks in the order of the specification; what fails names the first check it failed."""

import json
from typing import Any

import pytest

from browser.host.channel import Channel
from browser.host.errors import PolicyRefusedError
from engine.pipe.envelope import UNSEALED, Envelope
from engine.pipe.errors import PipeError
from states.errors import SgclawError
from states.policy import HostRule, Policy
from states.wire import Command, CommandSecurity, ConfirmRequest, DialogResponse, LogEntry

KEY = bytes(range(32))
POLICY = Policy(
    version=1,
    hosts=(
        HostRule(host="erp.example.com", allow=("navigate", "click", "getText")),
        HostRule(host="all.example.com", allow=("*",)),
    ),
)


class Wire:
    """An agent's sealing end and the host's channel."""

    def __init__(self, policy: Policy = POLICY) -> None:
        self.agent = Envelope(KEY, "session-1", "agent>host")
        self.envelope = Envelope(KEY, "session-1", "agent>host")
        self.channel = Channel(self.envelope, policy)

    def sent(
        self, action: str, params: dict[str, Any], domain: str = "erp.example.com"
    ) -> dict[str, Any]:
        security = CommandSecurity(hmac=UNSEALED, expected_domain=domain)
        seq = self.agent.seq.next()
        message = Command(seq=seq, action=action, params=params, security=security)
        return self.wired(self.agent.seal(message))

    def wired(self, message: Any) -> dict[str, Any]:
        document: dict[str, Any] = json.loads(json.dumps(message.model_dump(mode="json")))
        return document

    def refusal(self, document: dict[str, Any]) -> str:
        with pytest.raises(SgclawError) as caught:
            self.channel.check(document)
        return caught.value.code


def test_a_good_command_passes() -> None:
    wire = Wire()
    message = wire.channel.check(wire.sent("click", {"selector": "#go"}))
    assert isinstance(message, Command)
    assert wire.envelope.seq.last == 1


@pytest.mark.parametrize(
    ("action", "params", "domain", "code"),
    [
        ("fly", {}, "erp.example.com", "action_unknown"),
        ("click", {}, "erp.example.com", "action_params"),
        ("click", {"selector": "#go", "force": True}, "erp.example.com", "action_params"),
        ("click", {"selector": "#go", "timeout_ms": "5"}, "erp.example.com", "action_params"),
        ("eval", {"code": "1"}, "all.example.com", "action_never"),
        ("executeJsInPage", {}, "all.example.com", "action_never"),
        ("type", {"selector": "#a", "text": "x"}, "erp.example.com", "action_not_allowed"),
        ("click", {"selector": "#go"}, "evil.test", "host_not_in_policy"),
        ("click", {"selector": "#go"}, "erp.example.com.evil.test", "host_not_in_policy"),
        ("click", {"selector": "#go"}, "xerp.example.com", "host_not_in_policy"),
        ("click", {"selector": "#go"}, "ERP.example.com", "host_not_in_policy"),
        ("click", {"selector": "#go"}, "", "host_not_in_policy"),
        ("dialog_response", {"accept": True}, "erp.example.com", "action_unknown"),
    ],
)
def test_a_refused_command_names_why_and_the_next_one_still_passes(
    action: str, params: dict[str, Any], domain: str, code: str
) -> None:
    wire = Wire()
    assert wire.refusal(wire.sent(action, params, domain)) == code
    assert wire.envelope.seq.last == 1
    wire.channel.check(wire.sent("click", {"selector": "#go"}))


@pytest.mark.parametrize(
    "url",
    [
        "https://evil.test\\@erp.example.com/",
        "https://erp.example.com:pw@evil.test/",
        "data:text/html,x",
        "file:///etc/passwd",
        "javascript:alert(1)",
        "http://erp.example.com/",
        "https://erp.example.com:8443/",
        " https://erp.example.com/",
    ],
)
def test_navigation_out_of_the_policy_is_refused_before_the_browser_hears_of_it(url: str) -> None:
    wire = Wire()
    with pytest.raises(PolicyRefusedError):
        wire.channel.check(wire.sent("navigate", {"url": url}))
    wire.channel.check(wire.sent("navigate", {"url": "https://erp.example.com/reports"}))


def test_the_order_is_schema_then_parameters_then_proof_then_seq_then_policy() -> None:
    wire = Wire()
    everything_wrong = {
        **wire.sent("click", {"bad": 1}, "evil.test"),
        "seq": 9,
        "extra": 1,
    }
    everything_wrong["security"]["hmac"] = "0" * 64
    assert wire.refusal(everything_wrong) == "message_schema"
    del everything_wrong["extra"]
    assert wire.refusal(everything_wrong) == "action_params"
    everything_wrong["params"] = {"selector": "#go"}
    assert wire.refusal(everything_wrong) == "bad_hmac"
    assert wire.envelope.seq.last == 0
    wire.agent.seq.last = 8
    assert wire.refusal(wire.sent("click", {"selector": "#go"}, "evil.test")) == "seq_gap"
    wire.agent.seq.last = 0
    in_order = wire.sent("click", {"selector": "#go"}, "evil.test")
    assert wire.refusal(in_order) == "host_not_in_policy"
    assert wire.refusal(in_order) == "seq_replayed"


def test_a_refusal_without_a_valid_proof_does_not_advance_the_seq() -> None:
    wire = Wire()
    bad = wire.sent("click", {"bad": 1})
    bad["security"]["hmac"] = "0" * 64
    assert wire.refusal(bad) == "action_params"
    assert wire.envelope.seq.last == 0


def test_a_tampered_replayed_or_reflected_command_is_refused() -> None:
    wire = Wire()
    good = wire.sent("click", {"selector": "#go"})
    assert wire.refusal({**good, "params": {"selector": "#delete"}}) == "bad_hmac"
    other = Envelope(KEY, "session-2", "agent>host")
    reflected = Envelope(KEY, "session-1", "host>agent")
    for envelope in (other, reflected):
        security = CommandSecurity(hmac=UNSEALED, expected_domain="erp.example.com")
        message = Command(seq=1, action="click", params={"selector": "#go"}, security=security)
        assert wire.refusal(wire.wired(envelope.seal(message))) == "bad_hmac"
    wire.channel.check(good)
    assert wire.refusal(good) == "seq_replayed"


def test_a_question_about_a_command_is_checked_like_the_command() -> None:
    wire = Wire()

    def asked(action: str, params: dict[str, Any], purpose: Any = "call") -> dict[str, Any]:
        message = ConfirmRequest(
            seq=wire.agent.seq.next(),
            purpose=purpose,
            action=action,
            params=params,
            security=CommandSecurity(hmac=UNSEALED, expected_domain="erp.example.com"),
        )
        return wire.wired(wire.agent.seal(message))

    assert wire.refusal(asked("type", {"selector": "#a", "text": "x"})) == "action_not_allowed"
    assert wire.refusal(asked("eval", {})) == "action_never"
    assert wire.refusal(asked("click", {})) == "action_params"
    assert wire.refusal(asked("dialog_response", {"accept": "yes"})) == "action_params"
    wire.channel.check(asked("dialog_response", {"accept": True}))
    wire.channel.check(asked("click", {"selector": "#go"}))
    wire.channel.check(asked("", {}, "step"))


def test_an_answer_to_a_dialog_needs_a_listed_host() -> None:
    wire = Wire()

    def answered(domain: str) -> dict[str, Any]:
        security = CommandSecurity(hmac=UNSEALED, expected_domain=domain)
        message = DialogResponse(seq=wire.agent.seq.next(), accept=True, security=security)
        return wire.wired(wire.agent.seal(message))

    assert wire.refusal(answered("evil.test")) == "host_not_in_policy"
    wire.channel.check(answered("erp.example.com"))


def test_a_policy_that_allows_nothing_refuses_everything() -> None:
    wire = Wire(Policy(version=1, hosts=()))
    assert wire.refusal(wire.sent("getText", {})) == "host_not_in_policy"


def test_what_carries_no_proof_needs_only_its_schema() -> None:
    wire = Wire()
    entry = wire.wired(LogEntry(event="note"))
    assert isinstance(wire.channel.check(entry), LogEntry)
    with pytest.raises(PipeError):
        wire.channel.check({**entry, "seq": 1})
    assert wire.envelope.seq.last == 0
