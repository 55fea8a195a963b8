"""Dutch."""

SPLIT = (
    r"(maandag|dinsdag|woensdag|donderdag|vrijdag|zaterdag|zondag)"
    r"(ochtend|middag|namiddag|avond|nacht)"
)
MARKERS = (
    "de het een ik mijn me wij we hij zij ze is was zijn ben heb heeft van en of maar niet met "
    "voor te in op aan dat die wat wanneer waar wie hoe sinds naar bij ons woon werk zal er"
)
SERIES = {
    "M": (
        1,
        "januari,jan|februari,feb|maart,mrt|april,apr|mei|juni,jun|juli,jul|augustus,aug"
        "|september,sep,sept|oktober,okt|november,nov|december,dec",
    ),
    "D": (0, "maandag|dinsdag|woensdag|donderdag|vrijdag|zaterdag|zondag"),
    "l": (0, "ma|di|wo|do|vr|za|zo"),
    "w": (0, "maandagen|dinsdagen|woensdagen|donderdagen|vrijdagen|zaterdagen|zondagen"),
    "N": (
        0,
        "nul|één|twee,een paar,paar|drie,enkele,enige,meerdere|vier|vijf|zes|zeven|acht|negen"
        "|tien|elf|twaalf|dertien|veertien|vijftien|zestien|zeventien|achttien|negentien"
        "|twintig|eenentwintig|tweeëntwintig|drieëntwintig|vierentwintig|vijfentwintig"
        "|zesentwintig|zevenentwintig|achtentwintig|negenentwintig|dertig|eenendertig",
    ),
    "O": (
        1,
        "eerste|tweede|derde|vierde|vijfde|zesde|zevende|achtste|negende|tiende|elfde|twaalfde"
        "|dertiende|veertiende|vijftiende|zestiende|zeventiende|achttiende|negentiende"
        "|twintigste|eenentwintigste|tweeëntwintigste|drieëntwintigste|vierentwintigste"
        "|vijfentwintigste|zesentwintigste|zevenentwintigste|achtentwintigste"
        "|negenentwintigste|dertigste|eenendertigste",
    ),
    "S": (0, "lente,voorjaar|zomer|herfst,najaar|winter"),
}
WORDS = {
    ("N", 40): "veertig",
    ("N", 50): "vijftig",
    ("N", 60): "zestig",
    ("N", 0.5): "half|halve|een half|een halve",
    ("N", 1.5): "anderhalf|anderhalve",
    ("1", 1): "een",
    ("U", "second"): "seconde|seconden|sec",
    ("U", "minute"): "minuut|minuten|min",
    ("U", "hour"): "uren",
    ("U", "day"): "dag|dagen",
    ("U", "workday"): "werkdagen|werkdag",
    ("U", "week"): "week|weken",
    ("U", "weekend"): "weekend|weekeinde|weekends",
    ("U", "month"): "maand|maanden",
    ("U", "quarter"): "kwartaal|kwartalen",
    ("U", "year"): "jaar|jaren",
    ("U", "decade"): "decennium|decennia",
    ("U", "century"): "eeuw|eeuwen",
    ("T", (8, 12)): "ochtend|'s ochtends|s ochtends|'s morgens|s morgens|in de ochtend|voormiddag",
    ("T", (12, 16)): "middag|namiddag|'s middags|s middags|in de middag",
    ("T", (16, 20)): "avond|'s avonds|s avonds|in de avond",
    ("T", (20, 24)): "nacht|'s nachts|s nachts|in de nacht",
    ("H", (0, 0)): "middernacht",
    ("R", 0): "vandaag",
    ("R", 1): "morgen",
    ("R", -1): "gisteren",
    ("R", 2): "overmorgen",
    ("R", -2): "eergisteren",
    ("R", (0, (8, 12))): "vanochtend|vanmorgen",
    ("R", (0, (12, 16))): "vanmiddag",
    ("R", (0, (16, 20))): "vanavond",
    ("R", (0, (20, 24))): "vannacht",
    ("R", (1, (8, 12))): "morgenochtend",
    ("R", (1, (12, 16))): "morgenmiddag",
    ("R", (1, (16, 20))): "morgenavond",
    ("R", (-1, (16, 20))): "gisteravond",
    ("R", (-1, (8, 12))): "gisterochtend|gisterenochtend",
    ("R", (-1, (12, 16))): "gistermiddag|gisterenmiddag",
    ("R", (-1, (20, 24))): "afgelopen nacht|gisternacht",
    ("n", 0): "nu|op dit moment|nu meteen",
    ("X", -1): "vorige|vorig|afgelopen|laatste|voorbije|verleden",
    ("X", 0): "deze|dit|huidige|lopende|dezelfde|hetzelfde",
    ("X", 1): "volgende|volgend|komende|aankomende|aanstaande|eerstvolgende|aankomend|komend",
    ("A", 0): "geleden|eerder",
    ("0", "late"): "later",
    ("0", "early"): "eerder",
    ("L", 0): "later|vanaf nu|daarna",
    ("I", 0): "over|in|binnen|tijdens|gedurende|in de|in het|in het jaar",
    ("F", 0): "van|vanaf",
    ("Z", 0): "tot|tot en met|t/m|tot aan",
    ("h", 0): "tot|tot en met|t/m|tot aan",
    ("B", 0): "tussen|tussen de",
    ("&", 0): "en|en de",
    ("G", 0): "sinds|vanaf|sedert",
    ("V", 0): "voor|vóór|voor de",
    ("W", 0): "na|na de|later dan",
    ("E", 0): "elke|iedere|ieder|elk|om de",
    ("v", "day"): "dagelijks|dagelijkse|elke dag",
    ("v", "week"): "wekelijks|wekelijkse",
    ("v", "month"): "maandelijks|maandelijkse",
    ("v", "year"): "jaarlijks|jaarlijkse",
    ("o", 0): "de|het|van|op|dag",
    ("a", 0): "om|rond|omstreeks|tegen",
    ("k", 0): "uur|u",
    ("d", 0): "voor|gedurende|al",
    ("e", "early"): "begin|begin van|vroeg in|het begin van",
    ("e", "middle"): "midden|half|midden in",
    ("e", "late"): "eind|einde|eind van|het einde van|laat in",
    ("half", -30): "half",
    ("half", 15): "kwart over",
    ("half", -15): "kwart voor",
    ("y", (12, 25)): "kerstmis|kerst|eerste kerstdag",
    ("y", (12, 24)): "kerstavond",
    ("y", (1, 1)): "nieuwjaar|nieuwjaarsdag",
    ("y", (12, 31)): "oudejaarsavond|oud en nieuw|oudjaar",
    ("y", (4, 27)): "koningsdag",
}
