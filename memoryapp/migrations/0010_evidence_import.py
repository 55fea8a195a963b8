import django.db.models.deletion
from django.db import migrations, models

from memoryapp.sql import load

STATE = [
    migrations.AddField('evidence', 'source_import', models.ForeignKey(
        blank=True, db_constraint=False, db_index=False, null=True,
        on_delete=django.db.models.deletion.DO_NOTHING, related_name='evidence',
        to='memoryapp.import',
    )),
]


class Migration(migrations.Migration):

    dependencies = [
        ("memoryapp", "0009_webhooks"),
    ]

    operations = [
        migrations.SeparateDatabaseAndState(
            database_operations=[migrations.RunSQL([load("evidence_import")])],
            state_operations=STATE,
        )
    ]
