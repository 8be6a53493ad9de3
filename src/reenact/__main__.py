"""`python -m reenact`: the command line."""

from reenact.cli.main import run

if __name__ == "__main__":
    run()
