# The same texts as for scenarios.
exec bash tests/fuzz/seeds/scenario.sh "$1"
