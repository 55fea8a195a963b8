"""Italian."""

MARKERS = (
    "il lo la gli le un una io mio mia mi è era sono ho ha di del della che in e o ma non con "
    "per si al alla come quando dove sarò tornerò da dal dalle nel vivo abito lavoro ci"
)
SERIES = {
    "M": (
        1,
        "gennaio,gen|febbraio,feb|marzo,mar|aprile,apr|maggio,mag|giugno,giu|luglio,lug"
        "|agosto,ago|settembre,set,sett|ottobre,ott|novembre,nov|dicembre,dic",
    ),
    "D": (0, "lunedì,lunedi|martedì|mercoledì|giovedì|venerdì|sabato|domenica"),
    "N": (
        0,
        "zero|uno|due,un paio di|tre,alcuni,alcune,qualche,pochi|quattro|cinque|sei|sette|otto"
        "|nove|dieci|undici|dodici|tredici|quattordici|quindici|sedici|diciassette|diciotto"
        "|diciannove|venti|ventuno,ventun|ventidue|ventitré|ventiquattro|venticinque|ventisei"
        "|ventisette|ventotto|ventinove|trenta|trentuno",
    ),
    "O": (1, "primo,prima,1°|secondo,seconda|terzo,terza|quarto,quarta"),
    "S": (0, "primavera|estate|autunno|inverno"),
}
WORDS = {
    ("N", 40): "quaranta",
    ("N", 50): "cinquanta",
    ("N", 0.5): "mezzo|mezza|mezz'",
    ("1", 1): "un|una|un'",
    ("U", "second"): "secondi",
    ("U", "minute"): "minuto|minuti|min",
    ("U", "hour"): "ora|ore",
    ("U", "day"): "giorno|giorni|giornata",
    ("U", "workday"): "giorni lavorativi|giorno lavorativo",
    ("U", "week"): "settimana|settimane",
    ("U", "weekend"): "fine settimana|weekend|week-end",
    ("U", "month"): "mese|mesi",
    ("U", "quarter"): "trimestre|trimestri",
    ("U", "year"): "anno|anni",
    ("U", "decade"): "decennio|decenni",
    ("U", "century"): "secolo|secoli",
    ("T", (8, 12)): "mattina|di mattina|della mattina|del mattino|mattino|al mattino|la mattina",
    ("T", (12, 16)): "pomeriggio|di pomeriggio|del pomeriggio|nel pomeriggio|il pomeriggio",
    ("T", (16, 20)): "sera|di sera|della sera|la sera",
    ("T", (20, 24)): "notte|di notte|della notte|la notte",
    ("H", (12, 0)): "mezzogiorno|a mezzogiorno",
    ("H", (0, 0)): "mezzanotte|a mezzanotte",
    ("R", 0): "oggi",
    ("R", 1): "domani",
    ("R", -1): "ieri",
    ("R", 2): "dopodomani|dopo domani",
    ("R", -2): "l'altro ieri|altro ieri|ieri l'altro|avantieri",
    ("R", (0, (8, 12))): "stamattina|stamani|questa mattina",
    ("R", (0, (16, 20))): "stasera|questa sera",
    ("R", (0, (20, 24))): "stanotte|questa notte",
    ("R", (-1, (16, 20))): "ieri sera",
    ("R", (-1, (20, 24))): "la scorsa notte|ieri notte",
    ("R", (1, (16, 20))): "domani sera",
    ("R", (1, (8, 12))): "domani mattina|domattina",
    ("n", 0): "adesso|ora|in questo momento",
    ("X", -1): (
        "scorso|scorsa|scorsi|scorse|passato|passata|passati|passate|ultimo|ultima|ultimi|ultime"
        "|precedente"
    ),
    ("X", 0): "questo|questa|questi|queste|quest'|corrente",
    ("X", 1): (
        "prossimo|prossima|prossimi|prossime|che viene|seguente|seguenti|successivo|successiva"
    ),
    ("A", 0): "fa|addietro|prima",
    ("L", 0): "dopo|più tardi",
    ("I", 0): "tra|fra|in|entro|nel|nella|nell'|nei|nelle|durante|a",
    ("F", 0): "da|dal|dalle|dall'|dalla",
    ("Z", 0): "a|al|alle|fino a|fino al|fino alle|all'",
    ("h", 0): "fino a|fino al|fino alle|fino all'",
    ("B", 0): "tra|fra|tra le|tra il|fra le|fra il",
    ("&", 0): "e|e le|e il",
    ("G", 0): "dal|da|a partire da|a partire dal|dalla|dall'",
    ("V", 0): "prima di|prima del|prima delle|entro",
    ("W", 0): "dopo|dopo il|dopo le",
    ("E", 0): "ogni|tutti i|tutte le",
    ("v", "day"): "quotidianamente|giornalmente|ogni giorno|tutti i giorni",
    ("v", "week"): "settimanalmente|settimanale",
    ("v", "month"): "mensilmente|mensile",
    ("v", "year"): "annualmente|annuale",
    ("o", 0): "il|di|del|dell'|della|lo|la|l'|i|gli|le",
    ("a", 0): "alle|alle ore|all'|verso le|le|ore|alla",
    ("9", 0): "alle|alle ore|ore|verso le",
    ("k", 0): "in punto",
    ("d", 0): "per|durante",
    ("e", "early"): "inizio|all'inizio di|inizio di|inizi di|agli inizi di|inizi del",
    ("e", "middle"): "metà|a metà|metà di",
    ("e", "late"): "fine|alla fine di|fine di|a fine|fine del",
    ("past", 30): "e mezza|e mezzo",
    ("past", 15): "e un quarto",
    ("past", -15): "meno un quarto",
    ("y", (12, 25)): "natale|giorno di natale",
    ("y", (12, 24)): "vigilia di natale|la vigilia di natale",
    ("y", (1, 1)): "capodanno",
    ("y", (12, 31)): "vigilia di capodanno",
    ("y", (8, 15)): "ferragosto",
}
