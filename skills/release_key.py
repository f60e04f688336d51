"""The key that the built-in skills are signed with; written by `skills.signing`."""

PUBLIC_KEY_HEX = "03beaff1d89039867f9305bb108fbbbac41aecc7c77040ffe50b6bda6b417567"
