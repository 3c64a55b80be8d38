"""`python -m cppgen` is the program cppgen."""
from ._program import main

if __name__ == "__main__":
    main()
