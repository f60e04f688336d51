"""How servers that speak OpenAI's chat API differ: one frozen profile each (R3)."""

from dataclasses import dataclass
from typing import Literal

from states.settings import ModelLimits

ProfileName = Literal["openai", "ollama", "vllm", "deepseek", "generic"]


@dataclass(frozen=True)
class Profile:
    """What a server takes.

    *max_tokens_name* is its parameter for the longest output. *replay_reasoning*: reasoning goes
    back with the calls that it led to. *replay_raw*: arguments that are no JSON may go back as
    they were written; other servers parse them and refuse the whole request. *parallel_flag* and
    *strict_flag* say which optional keys are sent at all. *eyes*: its models take pictures; others
    refuse the whole request for one. *reasoning_in_output*: the longest output bounds reasoning
    too. Usage is asked of all of them: each call is counted (R3), and no server that is known
    refuses the question.
    """

    name: ProfileName
    max_tokens_name: Literal["max_completion_tokens", "max_tokens"] = "max_tokens"
    replay_reasoning: bool = False
    replay_raw: bool = False
    parallel_flag: bool = False
    strict_flag: bool = False
    eyes: bool = False
    reasoning_in_output: bool = False


PROFILES: dict[ProfileName, Profile] = {
    "openai": Profile(
        "openai",
        max_tokens_name="max_completion_tokens",
        replay_raw=True,
        parallel_flag=True,
        strict_flag=True,
        eyes=True,
        reasoning_in_output=True,
    ),
    "ollama": Profile("ollama"),
    "vllm": Profile("vllm", parallel_flag=True),
    "deepseek": Profile("deepseek", replay_reasoning=True, replay_raw=True),
    "generic": Profile("generic"),
}
_BY_HOST: dict[str, ProfileName] = {
    "api.openai.com": "openai",
    "api.deepseek.com": "deepseek",
}


def profile_of(provider: str, host: str, limits: ModelLimits) -> Profile:
    """Return the profile that the settings name, else the one that fits *provider* and *host*."""
    if limits.profile:
        return PROFILES[limits.profile]
    if provider == "ollama":
        return PROFILES["ollama"]
    return PROFILES[_BY_HOST.get(host, "generic")]
