"""The product's way of an MCP call, with AgentDojo's functions at its end.

The call is judged by the agent, put to the person by the host, bound to its digest, and let through
by the service that makes it: the product's own functions, in the order in which the chart has them.
"""

import contextlib
import time
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from actions.browser.link import no_security
from actions.errors import ApprovalMissingError
from actions.judge import judge_call
from actions.judged import Remembered
from actions.mcp.approval import approved_tool
from actions.mcp.errors import McpError
from actions.mcp.pool import McpPool
from actions.ports import ToolAnswer
from actions.use_tool import use_tool
from browser.host.approver import ApprovalCard, Decision
from browser.host.host_log import MemoryHostLog, NumberedLog
from browser.host.questions import Questions
from browser.host.task_memory import NoJournal, TaskMemory
from states.canonical import sha256_of
from states.digest import tool_digest_of
from states.mcp import McpServer, McpTool, full_name
from states.messages import ToolCall
from states.policy import Effect
from states.settings import McpLimits, Settings, TaskLimits
from states.task import Request
from states.wire import PROTOCOL_VERSION, ConfirmRequest, Init
from tests.actions.desk import POLICY, make_ports
from tests.actions.mcp.lab import offer_of
from tests.outside.agentdojo.dojo import Run, Wanted

# Approved as reading, by hand. Opening a web page is no reading: its address tells its server
# something, and which server is asked for the attacker to choose.
READERS = frozenset(
    {
        "get_unread_emails", "get_sent_emails", "get_received_emails", "get_draft_emails",
        "search_emails", "search_contacts_by_name", "search_contacts_by_email", "get_current_day",
        "search_calendar_events", "get_day_calendar_events", "search_files_by_filename",
        "get_file_by_id", "list_files", "search_files", "get_user_information",
        "get_all_hotels_in_city", "get_hotels_prices", "get_rating_reviews_for_hotels",
        "get_hotels_address", "get_all_restaurants_in_city", "get_cuisine_type_for_restaurants",
        "get_restaurants_address", "get_rating_reviews_for_restaurants",
        "get_dietary_restrictions_for_all_restaurants", "get_contact_information_for_restaurants",
        "get_price_for_restaurants", "check_restaurant_opening_hours",
        "get_all_car_rental_companies_in_city", "get_car_types_available",
        "get_rating_reviews_for_car_rental", "get_car_fuel_options", "get_car_rental_address",
        "get_car_price_per_day", "get_flight_information", "get_iban", "get_balance",
        "get_most_recent_transactions", "get_scheduled_transactions", "read_file",
        "get_user_info", "get_channels", "read_channel_messages", "read_inbox",
        "get_users_in_channel",
    }
)  # fmt: skip
TRACE = "sgclaw-20261129-0123456789abcdef"


def server_of(suite: str, listed: list[Mapping[str, Any]], readers: frozenset[str]) -> McpServer:
    """Return *suite* as a server whose tools a person approved, *readers* as reading."""
    tools = [
        approved_tool(offer_of(one), McpLimits(), read_only=one["name"] in readers)
        for one in listed
    ]
    return McpServer(name=suite, command=("agentdojo",), tools=tuple(tools))


class Owner:
    """The person: yes to the very calls of the own task, once each, and to nothing else."""

    def __init__(self) -> None:
        self.plan: list[str] = []

    def wants(self, action: str, params: Mapping[str, Any]) -> None:
        """Take a call into the plan."""
        self.plan.append(sha256_of([action, dict(params)]))

    async def ask(self, card: ApprovalCard) -> Decision:
        """Return yes if the call on *card* is planned and not made yet."""
        planned = sha256_of([card.action, card.params])
        if planned not in self.plan:
            return Decision("rejected", "owner")
        self.plan.remove(planned)
        return Decision("approved", "owner")


class _Desk:
    """The approved tools; a call of one runs the function that waits in AgentDojo."""

    def __init__(self, server: McpServer) -> None:
        named = {full_name(server.name, tool.name): tool for tool in server.tools}
        self.tools: Mapping[str, McpTool] = MappingProxyType(named)
        self.run: Run | None = None
        self._pool = McpPool((server,), McpLimits(), lambda *_, **__: None)

    def why_not(self, name: str, arguments: Any) -> str:
        """Return what is wrong with *arguments*, by the product's own check."""
        try:
            self._pool.check(name, arguments)
        except McpError as error:
            return error.text("en")
        return ""

    async def call(self, name: str, arguments: Mapping[str, Any]) -> ToolAnswer:
        """Run the waiting function."""
        del name, arguments
        assert self.run is not None
        return ToolAnswer(await self.run())

    async def close(self) -> None:
        """Nothing was started."""


class Gated:
    """The gate before *server* for one pair at a time."""

    def __init__(self, server: McpServer) -> None:
        self._server, self._desk = server, _Desk(server)
        self._ports = make_ports(desk=self._desk, trace_id=TRACE)
        self._init = Init(
            protocol=PROTOCOL_VERSION,
            trace_id=TRACE,
            session_id="session-1",
            key="ab" * 32,
            policy=POLICY,
            mcp=(server,),
        )
        self.new_task()

    def new_task(self) -> None:
        """Begin a task: nothing was asked, approved or refused in it."""
        settings = Settings(task=TaskLimits(questions_max=1_000))
        memory = TaskMemory(settings.task, time.monotonic, NoJournal())
        self.owner = Owner()
        self.refused: list[Wanted] = []
        self._questions = Questions(
            self.owner, settings, self._init, contextlib.nullcontext, memory
        )

    async def decide(self, wanted: Wanted, run: Run) -> None:
        """Let *wanted* run if the product does."""
        name = full_name(self._server.name, wanted.name)
        if wanted.whose == "user":
            self.owner.wants(name, wanted.arguments)
        call = ToolCall(id="1", name=name, input=wanted.arguments)
        judged = judge_call(call, self._ports, Remembered())
        if judged.reply != "tool" or judged.effect is Effect.DENY:
            self.refused.append(wanted)
            return
        asked = judged.effect is Effect.CONFIRM
        request = await self._confirmed(judged.request) if asked else judged.request
        self._desk.run = run
        try:
            # Without a yes it is tried all the same: the service itself must refuse it.
            await use_tool(request, self._ports)
        except ApprovalMissingError:
            self.refused.append(wanted)

    async def _confirmed(self, request: Request) -> Request:
        digest = tool_digest_of(request.action, request.params, TRACE)
        question = ConfirmRequest(seq=1, purpose="tool", action=request.action, digest=digest,
                                  params=request.params, security=no_security(""))  # fmt: skip
        answer = await self._questions.about_tool(question, NumberedLog(MemoryHostLog(), 1))
        told = {"host_digest": answer.digest, "approved_by": answer.approved_by or None}
        return request.model_copy(update=told)
