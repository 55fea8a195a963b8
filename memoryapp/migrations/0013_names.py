import django.db.models.deletion
import uuid_utils.compat
from django.conf import settings
from django.db import migrations, models

from memoryapp.sql import load

STATE = [
    migrations.CreateModel(
        name='SubjectAlias',
        fields=[
            ('id', models.UUIDField(default=uuid_utils.compat.uuid7, editable=False, primary_key=True, serialize=False)),
            ('alias', models.CharField(max_length=120)),
            ('subject', models.CharField(max_length=120)),
            ('made_at', models.DateTimeField()),
            ('evidence', models.JSONField(blank=True, default=list)),
            ('user', models.ForeignKey(
                db_constraint=False, db_index=False, on_delete=django.db.models.deletion.DO_NOTHING,
                related_name='+', to=settings.AUTH_USER_MODEL,
            )),
        ],
        options={'abstract': False},
    ),
]


class Migration(migrations.Migration):

    dependencies = [
        ("memoryapp", "0012_rules"),
    ]

    operations = [
        migrations.SeparateDatabaseAndState(
            database_operations=[
                migrations.RunSQL([load("names").replace("{app}", settings.DATABASE_APP_ROLE)])
            ],
            state_operations=STATE,
        )
    ]
