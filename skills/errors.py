"""What goes wrong with skills.

SkillError
├── SkillHeaderError      the author must mend the file
├── SkillParamsError      the caller must pass other parameters
├── SkillRegistryError    the whole library is not loaded; the administrator must act
├── SkillTrustError       one skill is not loaded; the administrator must act
├── SkillUnknownError     the caller must name another skill
├── SkillCallError        text for the skill: this browserAction call is malformed
└── SkillRunError         a run ended; its child is dead
    ├── SkillStartError       no child; the operator must act
    ├── SkillTimeoutError     too slow, or an endless loop
    ├── SkillStalledError     waits for nothing
    ├── SkillCrashedError     the child died: memory, or worse
    ├── SkillProtocolError    the child said what it must not say
    ├── SkillResultError      `execute` returned the wrong thing
    ├── SkillBudgetError      too many calls, log lines or timers
    ├── SkillFailedError      `execute` threw, or the file does not run
    └── SkillKilledError      we ended it
"""

from states.errors import SgclawError


class SkillError(SgclawError):
    """Anything about a skill."""


class SkillHeaderError(SkillError):
    """The header breaks a rule."""


class SkillParamsError(SkillError):
    """The parameters do not fit @params; facts: skill, param, value, expected."""


class SkillRegistryError(SkillError):
    """The registry as a whole cannot be trusted."""


class SkillTrustError(SkillError):
    """One file is not what was signed."""


class SkillUnknownError(SkillError):
    """No skill of that name is loaded."""


class SkillCallError(SkillError):
    """The arguments of one browserAction call make no command."""


class SkillRunError(SkillError):
    """A run ended without a result."""


class SkillStartError(SkillRunError):
    """No child could be started."""


class SkillTimeoutError(SkillRunError):
    """The run's own time, or the time of one turn, is over."""


class SkillStalledError(SkillRunError):
    """The skill awaits something that nothing will ever settle."""


class SkillCrashedError(SkillRunError):
    """The child died by itself."""


class SkillProtocolError(SkillRunError):
    """The child broke the line protocol."""


class SkillResultError(SkillRunError):
    """The result is not `{success, data?, error?}`."""


class SkillBudgetError(SkillRunError):
    """A budget of calls, log lines or timers is spent."""


class SkillFailedError(SkillRunError):
    """The skill threw; facts: skill, message, where."""


class SkillKilledError(SkillRunError):
    """The session was killed by its owner."""
