/* Thin shim over ncurses with wide characters: a full-screen terminal.

   The library is opened with dlopen when a screen is begun: no headers are needed to build, and no other command needs it. Functions and constants
   are those of ncurses 6, whose layout of attributes and keys has been the same since 2015. One thread at a time. */
#ifndef CCURSES_H
#define CCURSES_H

#include <stdbool.h>

/* Opens the library once; NULL, or why it cannot be opened. */
const char *ccurses_load(void);

/* Takes the terminal of standard input and output over; false when its type (TERM) is unknown or it cannot move its cursor. ccurses_load comes
   first. */
bool ccurses_begin(bool has_colours);

/* Gives the terminal back as it was. */
void ccurses_end(void);

/* The size of the screen, in cells. */
void ccurses_size(int *rows, int *columns);

/* A key that was pressed, or CCURSES_RESIZED; -1 when there is none. Never waits. */
int ccurses_key(void);
enum { CCURSES_RESIZED = 0632 };

enum {
    CCURSES_BOLD = 1 << 0,
    CCURSES_DIM = 1 << 1,
    CCURSES_REVERSE = 1 << 2,
    /* At most one of the colours. */
    CCURSES_RED = 1 << 8,
    CCURSES_GREEN = 2 << 8,
    CCURSES_YELLOW = 3 << 8,
    CCURSES_CYAN = 6 << 8,
};

/* Empties the picture. */
void ccurses_clear(void);

/* Writes text in UTF-8 into the picture; it must fit into its row. */
void ccurses_write(int row, int column, const char *text, int style);

/* Shows the picture: only what has changed since the last one is sent. */
void ccurses_show(void);

#endif
