import django.db.models.deletion
import uuid_utils.compat
from django.conf import settings
from django.db import migrations, models

from memoryapp.sql import load

STATE = [
    migrations.CreateModel(
        name='TokenDay',
        fields=[
            ('day', models.DateField(primary_key=True, serialize=False)),
            ('tokens', models.PositiveBigIntegerField(default=0)),
        ],
        options={'ordering': ['-day']},
    ),
    migrations.CreateModel(
        name='TokenUse',
        fields=[
            ('id', models.UUIDField(default=uuid_utils.compat.uuid7, editable=False, primary_key=True, serialize=False)),
            ('day', models.DateField()),
            ('tokens', models.PositiveBigIntegerField(default=0)),
            ('user', models.ForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', to=settings.AUTH_USER_MODEL)),
        ],
        options={'constraints': [models.UniqueConstraint(fields=('user', 'day'), name='memoryapp_tokenuse_day')]},
    ),
]


class Migration(migrations.Migration):

    dependencies = [
        ("memoryapp", "0004_imports"),
    ]

    operations = [
        migrations.SeparateDatabaseAndState(
            database_operations=[
                migrations.RunSQL([load("budget").replace("{app}", settings.DATABASE_APP_ROLE)])
            ],
            state_operations=STATE,
        )
    ]
