"""How Hindi writes dates and numbers, where Django has it otherwise."""

DATE_FORMAT = "j F Y"
YEAR_MONTH_FORMAT = "F Y"
TIME_FORMAT = "H:i"
DATETIME_FORMAT = "l, j F Y, H:i"
SHORT_DATE_FORMAT = "d/m/Y"
# Lakhs and crores: 12,34,567.
NUMBER_GROUPING = (3, 2, 0)
