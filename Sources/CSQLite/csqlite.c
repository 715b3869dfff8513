#include "csqlite.h"

#include <clibrary.h>
#include <pthread.h>
#include <stddef.h>

/* SQLITE_TRANSIENT: -1, as the function that gives the bytes back. */
typedef void (*release)(void *);
#define COPIED ((release)(intptr_t)-1)

static struct {
    int (*open_v2)(const char *path, csqlite_database **database, int flags, const char *file_system);
    int (*close_v2)(csqlite_database *database);
    const char *(*errmsg)(csqlite_database *database);
    int (*extended_result_codes)(csqlite_database *database, int is_on);
    int (*busy_timeout)(csqlite_database *database, int milliseconds);
    int (*exec)(csqlite_database *database, const char *script, int (*row)(void *, int, char **, char **), void *context, char **message);
    int (*changes)(csqlite_database *database);
    int64_t (*last_insert_rowid)(csqlite_database *database);
    int (*get_autocommit)(csqlite_database *database);
    int (*prepare_v3)(csqlite_database *database, const char *text, int count, unsigned flags,
                       csqlite_statement **statement, const char **rest);
    int (*step)(csqlite_statement *statement);
    int (*reset)(csqlite_statement *statement);
    int (*clear_bindings)(csqlite_statement *statement);
    int (*finalize)(csqlite_statement *statement);
    int (*bind_int64)(csqlite_statement *statement, int index, int64_t value);
    int (*bind_null)(csqlite_statement *statement, int index);
    int64_t (*column_int64)(csqlite_statement *statement, int column);
    int (*column_type)(csqlite_statement *statement, int column);
    const void *(*column_blob)(csqlite_statement *statement, int column);
    int (*column_bytes)(csqlite_statement *statement, int column);
    int (*bind_text)(csqlite_statement *, int, const char *, int, release);
    int (*bind_blob)(csqlite_statement *, int, const void *, int, release);
    int (*bind_zeroblob)(csqlite_statement *, int, int);
} sqlite;

static const char *problem = "not loaded";
static pthread_once_t loaded = PTHREAD_ONCE_INIT;

static void load(void) {
    static const char *const names[] = {"libsqlite3.so.0", NULL};
    const clibrary_function functions[] = {
        {"sqlite3_open_v2", &sqlite.open_v2},
        {"sqlite3_close_v2", &sqlite.close_v2},
        {"sqlite3_errmsg", &sqlite.errmsg},
        {"sqlite3_extended_result_codes", &sqlite.extended_result_codes},
        {"sqlite3_busy_timeout", &sqlite.busy_timeout},
        {"sqlite3_exec", &sqlite.exec},
        {"sqlite3_changes", &sqlite.changes},
        {"sqlite3_last_insert_rowid", &sqlite.last_insert_rowid},
        {"sqlite3_get_autocommit", &sqlite.get_autocommit},
        {"sqlite3_prepare_v3", &sqlite.prepare_v3},
        {"sqlite3_step", &sqlite.step},
        {"sqlite3_reset", &sqlite.reset},
        {"sqlite3_clear_bindings", &sqlite.clear_bindings},
        {"sqlite3_finalize", &sqlite.finalize},
        {"sqlite3_bind_int64", &sqlite.bind_int64},
        {"sqlite3_bind_null", &sqlite.bind_null},
        {"sqlite3_column_int64", &sqlite.column_int64},
        {"sqlite3_column_type", &sqlite.column_type},
        {"sqlite3_column_blob", &sqlite.column_blob},
        {"sqlite3_column_bytes", &sqlite.column_bytes},
        {"sqlite3_bind_text", &sqlite.bind_text},
        {"sqlite3_bind_blob", &sqlite.bind_blob},
        {"sqlite3_bind_zeroblob", &sqlite.bind_zeroblob},
    };
    const clibrary_words words = {"libsqlite3.so.0 is missing; install libsqlite3-0", "libsqlite3.so.0 lacks a function"};
    problem = clibrary_open(names, functions, sizeof functions / sizeof functions[0], words);
}

const char *csqlite_load(void) {
    pthread_once(&loaded, load);
    return problem;
}

int csqlite_open_v2(const char *path, csqlite_database **database, int flags, const char *file_system) {
    return sqlite.open_v2(path, database, flags, file_system);
}

int csqlite_close_v2(csqlite_database *database) { return sqlite.close_v2(database); }

const char *csqlite_errmsg(csqlite_database *database) { return sqlite.errmsg(database); }

int csqlite_extended_result_codes(csqlite_database *database, int is_on) { return sqlite.extended_result_codes(database, is_on); }

int csqlite_busy_timeout(csqlite_database *database, int milliseconds) { return sqlite.busy_timeout(database, milliseconds); }

int csqlite_exec(csqlite_database *database, const char *script, int (*row)(void *, int, char **, char **), void *context, char **message) {
    return sqlite.exec(database, script, row, context, message);
}

int csqlite_changes(csqlite_database *database) { return sqlite.changes(database); }

int64_t csqlite_last_insert_rowid(csqlite_database *database) { return sqlite.last_insert_rowid(database); }

int csqlite_get_autocommit(csqlite_database *database) { return sqlite.get_autocommit(database); }

int csqlite_prepare_v3(csqlite_database *database, const char *text, int count, unsigned flags,
                       csqlite_statement **statement, const char **rest) {
    return sqlite.prepare_v3(database, text, count, flags, statement, rest);
}

int csqlite_step(csqlite_statement *statement) { return sqlite.step(statement); }

int csqlite_reset(csqlite_statement *statement) { return sqlite.reset(statement); }

int csqlite_clear_bindings(csqlite_statement *statement) { return sqlite.clear_bindings(statement); }

int csqlite_finalize(csqlite_statement *statement) { return sqlite.finalize(statement); }

int csqlite_bind_int64(csqlite_statement *statement, int index, int64_t value) { return sqlite.bind_int64(statement, index, value); }

int csqlite_bind_null(csqlite_statement *statement, int index) { return sqlite.bind_null(statement, index); }

int64_t csqlite_column_int64(csqlite_statement *statement, int column) { return sqlite.column_int64(statement, column); }

int csqlite_column_type(csqlite_statement *statement, int column) { return sqlite.column_type(statement, column); }

const void *csqlite_column_blob(csqlite_statement *statement, int column) { return sqlite.column_blob(statement, column); }

int csqlite_column_bytes(csqlite_statement *statement, int column) { return sqlite.column_bytes(statement, column); }

int csqlite_bind_text(csqlite_statement *statement, int index, const char *text, int count) {
    return sqlite.bind_text(statement, index, text, count, COPIED);
}

int csqlite_bind_bytes(csqlite_statement *statement, int index, const void *bytes, int count) {
    return count == 0 ? sqlite.bind_zeroblob(statement, index, 0) : sqlite.bind_blob(statement, index, bytes, count, COPIED);
}
