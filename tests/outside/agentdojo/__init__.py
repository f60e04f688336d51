"""AgentDojo's attackers behind the gates of the product."""
