/* SQLite as the system has it, and what of it is written in macros that Swift does not see. */
#ifndef CSQLITE_H
#define CSQLITE_H

#include <sqlite3.h>

/* Binds a text or bytes that SQLite copies at once: SQLITE_TRANSIENT is a cast of -1 to a function. */
static inline int csqlite_bind_text(sqlite3_stmt *statement, int index, const char *text, int count) {
    return sqlite3_bind_text(statement, index, text, count, SQLITE_TRANSIENT);
}

static inline int csqlite_bind_bytes(sqlite3_stmt *statement, int index, const void *bytes, int count) {
    return count == 0 ? sqlite3_bind_zeroblob(statement, index, 0)
                      : sqlite3_bind_blob(statement, index, bytes, count, SQLITE_TRANSIENT);
}

#endif
