"""Run a skill in a V8 child of its own: one operating system process per run, then killed.

Only JSON text crosses. The parent is the only judge: budgets, shapes, deadlines and the result
are checked here, whatever the child claims.
"""

from skills.sandbox.pool import SkillSandbox
from skills.sandbox.session import SkillAsked, SkillFinished, SkillSession
from skills.sandbox.turns import SkillLog

__all__ = ["SkillAsked", "SkillFinished", "SkillLog", "SkillSandbox", "SkillSession"]
