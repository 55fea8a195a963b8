"""Spanish."""

MARKERS = (
    "el la los las un una yo mi me es fue era son tengo tiene de del que en y o pero no con "
    "por para se su al como cuando donde está voy hay lo le nos mis vivo soy trabajo desde"
)
SERIES = {
    "M": (
        1,
        "enero,ene|febrero,feb|marzo|abril,abr|mayo|junio,jun|julio,jul|agosto,ago"
        "|septiembre,setiembre,sep,sept|octubre,oct|noviembre,nov|diciembre,dic",
    ),
    "D": (0, "lunes|martes|miércoles|jueves|viernes|sábado|domingo"),
    "l": (0, "lun||mié,mier|jue|vie|sáb|dom"),
    "w": (
        0,
        "los lunes,todos los lunes|los martes,todos los martes"
        "|los miércoles,todos los miércoles|los jueves,todos los jueves"
        "|los viernes,todos los viernes|los sábados,todos los sábados"
        "|los domingos,todos los domingos",
    ),
    "N": (
        0,
        "cero||dos,un par de|tres,unos,unas,unos pocos,pocos,varios,algunos|cuatro|cinco|seis"
        "|siete|ocho|nueve|diez|once|doce|trece|catorce|quince|dieciséis|diecisiete|dieciocho"
        "|diecinueve|veinte|veintiuno,veintiún|veintidós|veintitrés|veinticuatro|veinticinco"
        "|veintiséis|veintisiete|veintiocho|veintinueve|treinta|treinta y uno,treinta y un",
    ),
    "O": (1, "primero,primer,primera|segundo,segunda|tercero,tercer,tercera"),
    "S": (0, "primavera|verano|otoño|invierno"),
}
WORDS = {
    ("N", 40): "cuarenta",
    ("N", 50): "cincuenta",
    ("N", 60): "sesenta",
    ("N", 90): "noventa",
    ("N", 0.5): "media|medio",
    ("1", 1): "un|una|uno",
    ("U", "second"): "segundos|seg",
    ("U", "minute"): "minuto|minutos|min|mins",
    ("U", "hour"): "hora|horas",
    ("U", "day"): "día|días",
    ("U", "workday"): "días laborables|días hábiles|día laborable|día hábil",
    ("U", "week"): "semana|semanas",
    ("U", "weekend"): "fin de semana|fines de semana|finde",
    ("U", "month"): "mes|meses",
    ("U", "quarter"): "trimestre|trimestres",
    ("U", "year"): "año|años",
    ("U", "decade"): "década|décadas",
    ("U", "century"): "siglo|siglos",
    ("T", (8, 12)): "por la mañana|de la mañana|la mañana|en la mañana",
    ("T", (12, 20)): "por la tarde|de la tarde|tarde|la tarde|en la tarde",
    ("T", (20, 24)): "por la noche|de la noche|noche|la noche|en la noche",
    ("T", (4, 8)): "madrugada|de la madrugada|la madrugada|de madrugada",
    ("H", (12, 0)): "mediodía|al mediodía",
    ("H", (0, 0)): "medianoche|a medianoche",
    ("R", 0): "hoy",
    ("R", 1): "mañana",
    ("R", -1): "ayer|el día anterior",
    ("R", 2): "pasado mañana",
    ("R", -2): "anteayer|antes de ayer|antier",
    ("R", (0, (8, 12))): "esta mañana",
    ("R", (0, (20, 24))): "esta noche",
    ("R", (-1, (20, 24))): "anoche",
    ("n", 0): "ahora|ahora mismo|en este momento",
    ("X", -1): (
        "pasado|pasada|pasados|pasadas|último|última|últimos|últimas|anterior|anteriores"
        "|previo|previa|previos"
    ),
    ("X", 0): "este|esta|estos|estas|actual|en curso|presente|mismo|misma|el mismo",
    ("X", 1): (
        "próximo|próxima|próximos|próximas|que viene|siguiente|siguientes|que vienen|venidero"
        "|entrante|que entra"
    ),
    ("A", 0): "atrás|antes",
    ("q", 0): "hace|hace unos|hace como|hace casi|hace unas",
    ("0", "late"): "más tarde|más adelante",
    ("L", 0): "después|más tarde",
    ("I", 0): "en|dentro de|durante|en el|en la|en los|en las|durante el|durante la",
    ("F", 0): "desde|desde el|del|de",
    ("Z", 0): "hasta|hasta el|al|a|hasta la",
    ("h", 0): "hasta|hasta el|hasta la|hasta las|hasta los",
    ("B", 0): "entre|entre el|entre las|entre la",
    ("&", 0): "y|y el|y la|y las",
    ("G", 0): "desde|a partir de|a partir del|desde el|desde la",
    ("V", 0): "antes de|antes del|antes de la|antes de las",
    ("W", 0): "después de|después del|después de las|tras",
    ("E", 0): "cada|todos los|todas las",
    ("v", "day"): "diariamente|diario|a diario|todos los días|cada día",
    ("v", "week"): "semanalmente|semanal",
    ("v", "month"): "mensualmente|mensual",
    ("v", "year"): "anualmente|anual",
    ("o", 0): "el|de|del|la|los|las|día|en",
    ("a", 0): "a las|a la|las|sobre las|alrededor de las|a eso de las",
    ("9", 0): "a las|a la|sobre las|alrededor de las|a eso de las",
    ("k", 0): "en punto|horas en punto",
    ("d", 0): "por|durante",
    ("e", "early"): "principios de|inicios de|comienzos de|a principios de|a principios del",
    ("e", "middle"): "mediados de|a mediados de|a mediados del",
    ("e", "late"): "finales de|fines de|a finales de|a finales del|fin de",
    ("past", 30): "y media",
    ("past", 15): "y cuarto",
    ("past", -15): "menos cuarto",
    ("y", (12, 25)): "navidad|día de navidad",
    ("y", (12, 24)): "nochebuena|víspera de navidad",
    ("y", (1, 1)): "año nuevo|día de año nuevo",
    ("y", (12, 31)): "nochevieja|víspera de año nuevo",
}
