/* Thin shim over SQLite.

   The library is opened with dlopen at the first use: a program without an outbox needs neither its package nor its memory, and nobody needs its
   header to build. The numbers of codes and options, and the functions, are part of its binary interface and never change within
   libsqlite3.so.0. One thread at a time uses a database. */
#ifndef CSQLITE_H
#define CSQLITE_H

#include <stdint.h>

typedef struct sqlite3 csqlite_database;
typedef struct sqlite3_stmt csqlite_statement;

/* Result codes. */
#define CSQLITE_OK 0
#define CSQLITE_PERM 3
#define CSQLITE_BUSY 5
#define CSQLITE_LOCKED 6
#define CSQLITE_READONLY 8
#define CSQLITE_IOERR 10
#define CSQLITE_CORRUPT 11
#define CSQLITE_FULL 13
#define CSQLITE_CANTOPEN 14
#define CSQLITE_TOOBIG 18
#define CSQLITE_CONSTRAINT 19
#define CSQLITE_MISMATCH 20
#define CSQLITE_NOTADB 26
#define CSQLITE_ROW 100
#define CSQLITE_DONE 101

/* Types of values. */
#define CSQLITE_INTEGER 1
#define CSQLITE_TEXT 3
#define CSQLITE_BLOB 4
#define CSQLITE_NULL 5

/* How a database is opened and a statement is prepared. */
#define CSQLITE_OPEN_READONLY 0x1
#define CSQLITE_OPEN_READWRITE 0x2
#define CSQLITE_OPEN_NOMUTEX 0x8000
#define CSQLITE_OPEN_NOFOLLOW 0x01000000
#define CSQLITE_PREPARE_PERSISTENT 0x1u

/* Opens the library once; NULL, or why it cannot be opened. It comes before everything below. */
const char *csqlite_load(void);

/* The functions of SQLite of these names. */
int csqlite_open_v2(const char *path, csqlite_database **database, int flags, const char *file_system);
int csqlite_close_v2(csqlite_database *database);
const char *csqlite_errmsg(csqlite_database *database);
int csqlite_extended_result_codes(csqlite_database *database, int is_on);
int csqlite_busy_timeout(csqlite_database *database, int milliseconds);
int csqlite_exec(csqlite_database *database, const char *script, int (*row)(void *, int, char **, char **), void *context, char **message);
int csqlite_changes(csqlite_database *database);
int64_t csqlite_last_insert_rowid(csqlite_database *database);
int csqlite_get_autocommit(csqlite_database *database);
int csqlite_prepare_v3(csqlite_database *database, const char *text, int count, unsigned flags,
                       csqlite_statement **statement, const char **rest);
int csqlite_step(csqlite_statement *statement);
int csqlite_reset(csqlite_statement *statement);
int csqlite_clear_bindings(csqlite_statement *statement);
int csqlite_finalize(csqlite_statement *statement);
int csqlite_bind_int64(csqlite_statement *statement, int index, int64_t value);
int csqlite_bind_null(csqlite_statement *statement, int index);
int64_t csqlite_column_int64(csqlite_statement *statement, int column);
int csqlite_column_type(csqlite_statement *statement, int column);
const void *csqlite_column_blob(csqlite_statement *statement, int column);
int csqlite_column_bytes(csqlite_statement *statement, int column);

/* Bind a text or bytes that SQLite copies at once. */
int csqlite_bind_text(csqlite_statement *statement, int index, const char *text, int count);
int csqlite_bind_bytes(csqlite_statement *statement, int index, const void *bytes, int count);

#endif
