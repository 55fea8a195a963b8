"""English."""

ORDER = "mdy"
MARKERS = (
    "the a an i my me we he she it is was are were have has had will would do did in on at "
    "and or but not for with to of that this what when where who how from your our they you "
    "i'm been be can about"
)
SERIES = {
    "M": (
        1,
        "january,jan,jan.|february,feb,feb.||april,apr,apr.||june,jun,jun."
        "|july,jul,jul.|august,aug,aug.|september,sep,sept,sep.,sept.|october,oct,oct."
        "|november,nov,nov.|december,dec,dec.",
    ),
    "i": (1, "||march,mar,mar.||may"),
    "D": (
        0,
        "monday|tuesday,tue,tues|wednesday|thursday,thu,thur,thurs|friday,fri|saturday|sunday",
    ),
    "l": (0, "mon||wed|||sat|sun"),
    "w": (0, "mondays|tuesdays|wednesdays|thursdays|fridays|saturdays|sundays"),
    "N": (
        0,
        "zero|one|two,a couple of,couple of,a couple,couple|three,a few,few,several,some|four|five"
        "|six|seven|eight|nine|ten|eleven|twelve|thirteen|fourteen|fifteen|sixteen|seventeen"
        "|eighteen|nineteen|twenty",
    ),
    "O": (
        1,
        "first|second|third|fourth|fifth|sixth|seventh|eighth|ninth|tenth|eleventh|twelfth"
        "|thirteenth|fourteenth|fifteenth|sixteenth|seventeenth|eighteenth|nineteenth"
        "|twentieth|twenty-first,twenty first|twenty-second,twenty second"
        "|twenty-third,twenty third|twenty-fourth,twenty fourth|twenty-fifth,twenty fifth"
        "|twenty-sixth,twenty sixth|twenty-seventh,twenty seventh|twenty-eighth,twenty eighth"
        "|twenty-ninth,twenty ninth|thirtieth|thirty-first,thirty first",
    ),
    "S": (
        0,
        "spring,springtime,springs|summer,summertime,summers|autumn,fall,autumns|winter,wintertime,winters",
    ),
}
WORDS = {
    ("N", 30): "thirty",
    ("N", 40): "forty",
    ("N", 50): "fifty",
    ("N", 60): "sixty",
    ("N", 70): "seventy",
    ("N", 80): "eighty",
    ("N", 90): "ninety",
    ("N", 100): "hundred|a hundred",
    ("N", 0.5): "half a|half an|half",
    ("1", 1): "a|an",
    ("O", 31): "thirty first",
    ("O", -1): "last day of",
    ("U", "second"): "seconds|sec|secs",
    ("U", "minute"): "minute|minutes|min|mins",
    ("U", "hour"): "hour|hours|hr|hrs|h",
    ("U", "day"): "day|days",
    (
        "U",
        "workday",
    ): (
        "business day|business days|working day|working days|weekday|weekdays|workweek|work week"
        "|working week"
    ),
    ("U", "week"): "week|weeks|wk|wks",
    ("U", "fortnight"): "fortnight|fortnights",
    ("U", "weekend"): "weekend|weekends",
    ("U", "month"): "month|months",
    ("U", "quarter"): "quarter|quarters",
    ("U", "year"): "year|years|yr|yrs",
    ("U", "decade"): "decade|decades",
    ("U", "century"): "century|centuries",
    ("T", (8, 12)): "morning|in the morning",
    ("T", (12, 16)): "afternoon|in the afternoon",
    ("T", (16, 20)): "evening|in the evening",
    ("T", (20, 24)): "night|at night|in the night",
    ("H", (12, 0)): "noon|midday|noontime",
    ("H", (0, 0)): "midnight|mid night",
    ("R", 0): "today",
    ("R", 1): "tomorrow|tmr|tmrw|tomorow",
    ("R", -1): "yesterday|the day before",
    ("R", 2): "the day after tomorrow|day after tomorrow",
    ("R", -2): "the day before yesterday|day before yesterday",
    ("R", (0, (20, 24))): "tonight",
    ("R", (-1, (20, 24))): "last night",
    ("n", 0): "now|right now|at the moment|at present|at this time|at the present time",
    ("X", -1): "last|previous|past|this past|prior",
    ("X", 0): "this|current|the current|this calendar|the same|same",
    ("X", 1): "next|following|upcoming|coming|this coming|this upcoming",
    ("5", 0): "upcoming|coming|this coming|this upcoming",
    ("A", 0): "ago|earlier|back|before now",
    ("0", "late"): "later|later in|later on",
    ("0", "early"): "earlier|earlier in",
    ("L", 0): "from now|later|hence|from today",
    ("I", 0): "in|within|during|in the|over the|throughout",
    ("F", 0): "from",
    ("Z", 0): "to|until|till|through|thru|til|up to",
    ("h", 0): "until|till|til|up to",
    ("B", 0): "between",
    ("&", 0): "and",
    ("G", 0): "since|starting|starting from|as of|beginning|beginning on|starting on",
    ("V", 0): "before|prior to|by|no later than",
    ("W", 0): "after|later than",
    ("E", 0): "every|each|every single|every other",
    ("v", "day"): "daily|everyday|every day",
    ("v", "week"): "weekly",
    ("v", "month"): "monthly",
    ("v", "year"): "yearly|annually|annual",
    (
        ".",
        0,
    ): "year old|years old|year-old|years-old|month old|months old|some day|weeks old|late nights",
    ("v", "part"): "mornings|evenings|afternoons|nights",
    ("o", 0): "the|of|on|day",
    ("a", 0): "at|around|about|approximately",
    ("k", 0): "o'clock|oclock",
    ("d", 0): "for|for the",
    ("e", "early"): "early|early in|the beginning of|beginning of|start of|the start of",
    ("e", "middle"): "mid|the middle of|middle of",
    ("e", "late"): "late|late in|the end of|end of",
    ("half", 30): "half past",
    ("half", 15): "quarter past|a quarter past",
    ("half", -15): "quarter to|a quarter to",
    ("y", (12, 25)): "christmas|christmas day|xmas",
    ("y", (12, 24)): "christmas eve",
    ("y", (1, 1)): "new year's day|new years day|new year|new years",
    ("y", (12, 31)): "new year's eve|new years eve|nye",
    ("y", (2, 14)): "valentine's day|valentines day",
    ("y", (10, 31)): "halloween",
    ("y", (7, 4)): "4th of july|fourth of july|independence day",
}
