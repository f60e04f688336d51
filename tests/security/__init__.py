"""What a model that obeys everybody can do: nothing that a person did not approve."""
