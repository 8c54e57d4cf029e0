"""``python -m handfast`` is the ``handfast`` command."""

from handfast.edge.cli import main

if __name__ == "__main__":
    main()
