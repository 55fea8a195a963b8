"""German."""

ORDER = "dmy."
SPLIT = (
    r"(montag|dienstag|mittwoch|donnerstag|freitag|samstag|sonntag)"
    r"(morgen|vormittag|mittag|nachmittag|abend|nacht)"
)
MARKERS = (
    "der die das ein eine ich mein meine mich wir er sie es ist war sind bin habe hat von und "
    "oder aber nicht mit für zu im in am auf den dem des seit wann wo wer wie wohne arbeite uns "
    "mir werde wird"
)
SERIES = {
    "M": (
        1,
        "januar,jan,jänner|februar,feb|märz,mrz|april,apr|mai|juni,jun|juli,jul|august,aug"
        "|september,sep,sept|oktober,okt|november,nov|dezember,dez",
    ),
    "D": (
        0,
        "montag|dienstag|mittwoch|donnerstag|freitag|samstag,sonnabend|sonntag",
    ),
    "l": (0, "mo|di|mi|do|fr|sa|so"),
    "w": (0, "montags|dienstags|mittwochs|donnerstags|freitags|samstags|sonntags"),
    "N": (
        0,
        "null|eins|zwei,zwo,ein paar,paar,beiden|drei,einige,einigen,mehrere,mehreren,wenige"
        ",wenigen|vier|fünf|sechs|sieben|acht|neun|zehn|elf|zwölf|dreizehn|vierzehn|fünfzehn"
        "|sechzehn|siebzehn|achtzehn|neunzehn|zwanzig|einundzwanzig|zweiundzwanzig"
        "|dreiundzwanzig|vierundzwanzig|fünfundzwanzig|sechsundzwanzig|siebenundzwanzig"
        "|achtundzwanzig|neunundzwanzig|dreißig,dreissig|einunddreißig",
    ),
    "O": (
        1,
        "erste,ersten,erster,erstes|zweite,zweiten,zweiter|dritte,dritten,dritter"
        "|vierte,vierten|fünfte,fünften|sechste,sechsten|siebte,siebten|achte,achten"
        "|neunte,neunten|zehnte,zehnten|elfte,elften|zwölfte,zwölften|dreizehnten"
        "|vierzehnten|fünfzehnten|sechzehnten|siebzehnten|achtzehnten|neunzehnten|zwanzigsten"
        "|einundzwanzigsten|zweiundzwanzigsten|dreiundzwanzigsten|vierundzwanzigsten"
        "|fünfundzwanzigsten|sechsundzwanzigsten|siebenundzwanzigsten|achtundzwanzigsten"
        "|neunundzwanzigsten|dreißigsten|einunddreißigsten",
    ),
    "S": (0, "frühling,frühjahr|sommer|herbst|winter"),
}
WORDS = {
    ("N", 40): "vierzig",
    ("N", 50): "fünfzig",
    ("N", 60): "sechzig",
    ("N", 100): "hundert",
    ("N", 0.5): "halbe|halben|halbes|eine halbe|einer halben|ein halbes|einem halben",
    ("N", 1.5): "anderthalb|eineinhalb",
    ("N", 2.5): "zweieinhalb",
    ("N", 3.5): "dreieinhalb",
    ("N", 4.5): "viereinhalb",
    ("N", 5.5): "fünfeinhalb",
    ("1", 1): "ein|eine|einer|einem|einen",
    ("U", "second"): "sekunde|sekunden|sek",
    ("U", "minute"): "minute|minuten|min",
    ("U", "hour"): "stunde|stunden|std",
    ("U", "day"): "tag|tage|tagen|tages",
    ("U", "workday"): "werktage|werktagen|arbeitstage|arbeitstagen|werktag|arbeitstag",
    ("U", "week"): "woche|wochen",
    ("U", "weekend"): "wochenende|wochenenden",
    ("U", "month"): "monat|monate|monaten|monats",
    ("U", "quarter"): "quartal|quartale|quartals",
    ("U", "year"): "jahr|jahre|jahren|jahres",
    ("U", "decade"): "jahrzehnt|jahrzehnte|jahrzehnten",
    ("U", "century"): "jahrhundert|jahrhunderte|jahrhunderten",
    ("T", (8, 12)): "morgens|vormittag|vormittags|am vormittag|am morgen|früh|in der früh",
    ("T", (12, 16)): "nachmittag|nachmittags|am nachmittag",
    ("T", (16, 20)): "abend|abends|am abend",
    ("T", (20, 24)): "nacht|nachts|in der nacht",
    ("H", (12, 0)): "mittag|mittags",
    ("H", (0, 0)): "mitternacht|mitternachts",
    ("R", 0): "heute",
    ("R", 1): "morgen",
    ("R", -1): "gestern",
    ("R", 2): "übermorgen",
    ("R", -2): "vorgestern",
    ("R", (0, (8, 12))): "heute morgen|heute früh|heute vormittag",
    ("R", (1, (8, 12))): "morgen früh",
    ("R", (-1, (8, 12))): "gestern morgen",
    ("R", (-1, (20, 24))): "letzte nacht|gestern nacht",
    ("n", 0): "jetzt|gerade jetzt|derzeit|momentan",
    ("X", -1): (
        "letzte|letzten|letzter|letztes|letztem|vergangene|vergangenen|vergangener|vergangenes"
        "|vorige|vorigen|voriger|voriges|vorherige|vorherigen"
    ),
    ("X", 0): "diese|dieser|dieses|diesen|diesem|aktuelle|aktuellen|laufenden|laufende",
    ("X", 1): (
        "nächste|nächsten|nächster|nächstes|nächstem|kommende|kommenden|kommender|kommendes"
        "|folgende|folgenden"
    ),
    ("X", 2): "übernächste|übernächsten|übernächster|übernächstes",
    ("X", -2): "vorletzte|vorletzten|vorletzter|vorletztes|vorletztem",
    ("A", 0): "zuvor|her",
    ("q", 0): "vor|vor etwa|vor ungefähr|vor gut|vor rund|vor fast|vor knapp|vor circa",
    ("0", "late"): "später",
    ("L", 0): "später|danach",
    ("I", 0): "in|im|innerhalb von|binnen|während|in den|in der|im jahr|im jahre",
    ("F", 0): "von|vom|ab",
    ("Z", 0): "bis|bis zum|bis zur|bis ende|zum",
    ("h", 0): "bis|bis zum|bis zur|bis ende",
    ("B", 0): "zwischen|zwischen dem",
    ("&", 0): "und|und dem",
    ("G", 0): "seit|seit dem|seit der|ab|ab dem",
    ("V", 0): "vor|vor dem|vor der|bevor",
    ("W", 0): "nach|nach dem|nach der",
    ("E", 0): "jede|jeden|jeder|jedes|alle",
    ("v", "day"): "täglich|jeden tag",
    ("v", "week"): "wöchentlich|jede woche",
    ("v", "month"): "monatlich|jeden monat",
    ("v", "year"): "jährlich|jedes jahr",
    ("o", 0): "der|die|das|den|dem|des|am|tag|zum|an",
    ("a", 0): "um|gegen|ab|zirka|circa",
    ("k", 0): "uhr",
    ("d", 0): "für|für die|während der",
    ("e", "early"): "anfang|anfang des|zu beginn des|beginn",
    ("e", "middle"): "mitte|mitte des",
    ("e", "late"): "ende|ende des|am ende des",
    ("half", -30): "halb",
    ("half", 15): "viertel nach",
    ("half", -15): "viertel vor",
    (".", 0): "guten morgen|guten abend|gute nacht",
    ("y", (11, 1)): "allerheiligen",
    ("y", (12, 25)): "weihnachten|weihnachtstag|erster weihnachtstag",
    ("y", (12, 24)): "heiligabend|heiliger abend",
    ("y", (1, 1)): "neujahr|neujahrstag",
    ("y", (12, 31)): "silvester",
    ("y", (10, 3)): "tag der deutschen einheit",
}
