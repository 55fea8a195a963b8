"""How English writes dates and numbers, where Django has it otherwise."""

DATE_FORMAT = "j F Y"
MONTH_DAY_FORMAT = "j F"
YEAR_MONTH_FORMAT = "F Y"
TIME_FORMAT = "H:i"
DATETIME_FORMAT = "l j F Y, H:i"
SHORT_DATE_FORMAT = "j M Y"
