"""How Arabic writes dates and numbers, where Django has it otherwise."""

DATE_FORMAT = "j F Y"
TIME_FORMAT = "H:i"
DATETIME_FORMAT = "l، j F Y، H:i"
# Digits are the ones that keyboards and clocks show everywhere; so are their separators.
DECIMAL_SEPARATOR = "."
THOUSAND_SEPARATOR = ","
NUMBER_GROUPING = 3
