#include "ccurses.h"

#include <clibrary.h>
#include <langinfo.h>
#include <locale.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Of curses.h: attributes are bits above the character's eight. */
enum { ATTRIBUTE_SHIFT = 8, REVERSE = 1 << (10 + ATTRIBUTE_SHIFT), DIM = 1 << (12 + ATTRIBUTE_SHIFT), BOLD = 1 << (13 + ATTRIBUTE_SHIFT) };

static struct {
    void *(*newterm)(const char *, FILE *, FILE *);
    void (*delscreen)(void *);
    int (*endwin)(void);
    int (*cbreak)(void);
    int (*noecho)(void);
    int (*curs_set)(int);
    int (*keypad)(void *, bool);
    int (*nodelay)(void *, bool);
    int (*wgetch)(void *);
    int (*werase)(void *);
    int (*wmove)(void *, int, int);
    int (*waddnstr)(void *, const char *, int);
    int (*wattrset)(void *, int);
    int (*wnoutrefresh)(void *);
    int (*doupdate)(void);
    int (*getmaxx)(const void *);
    int (*getmaxy)(const void *);
    bool (*has_colors)(void);
    int (*start_color)(void);
    int (*use_default_colors)(void);
    int (*init_pair)(short, short, short);
    char *(*tigetstr)(const char *);
    void **stdscr;
} curses;

static const char *problem = "not loaded";
static pthread_once_t loaded = PTHREAD_ONCE_INIT;
static void *screen;
static bool is_coloured;

static void load(void) {
    static const char *const names[] = {"libncursesw.so.6", NULL};
    const clibrary_function functions[] = {
        {"newterm", &curses.newterm},           {"delscreen", &curses.delscreen},
        {"endwin", &curses.endwin},             {"cbreak", &curses.cbreak},
        {"noecho", &curses.noecho},             {"curs_set", &curses.curs_set},
        {"keypad", &curses.keypad},             {"nodelay", &curses.nodelay},
        {"wgetch", &curses.wgetch},             {"werase", &curses.werase},
        {"wmove", &curses.wmove},               {"waddnstr", &curses.waddnstr},
        {"wattrset", &curses.wattrset},         {"wnoutrefresh", &curses.wnoutrefresh},
        {"doupdate", &curses.doupdate},         {"getmaxx", &curses.getmaxx},
        {"getmaxy", &curses.getmaxy},           {"has_colors", &curses.has_colors},
        {"start_color", &curses.start_color},   {"use_default_colors", &curses.use_default_colors},
        {"init_pair", &curses.init_pair},       {"tigetstr", &curses.tigetstr},
        {"stdscr", &curses.stdscr},
    };
    const clibrary_words words = {"libncursesw.so.6 is missing; install libncursesw6", "libncursesw.so.6 lacks a function"};
    problem = clibrary_open(names, functions, sizeof functions / sizeof functions[0], words);
}

const char *ccurses_load(void) {
    pthread_once(&loaded, load);
    return problem;
}

/* A capability that the terminal has: not absent, and not cancelled. */
static bool has(const char *name) {
    const char *value = curses.tigetstr(name);
    return value && value != (char *)-1 && *value;
}

bool ccurses_begin(bool has_colours) {
    /* What is written is UTF-8, as all output is; the library must count its columns as such. */
    setlocale(LC_CTYPE, "");
    if (strcmp(nl_langinfo(CODESET), "UTF-8") != 0) setlocale(LC_CTYPE, "C.UTF-8");
    screen = curses.newterm(NULL, stdout, stdin);
    if (!screen) return false;
    if (!has("cup") || !has("clear")) {
        ccurses_end();
        return false;
    }
    curses.cbreak();
    curses.noecho();
    curses.curs_set(0);
    curses.keypad(*curses.stdscr, true);
    curses.nodelay(*curses.stdscr, true);
    is_coloured = has_colours && curses.has_colors();
    if (is_coloured) {
        curses.start_color();
        curses.use_default_colors();
        for (short colour = 1; colour < 8; colour++) curses.init_pair(colour, colour, -1);
    }
    return true;
}

void ccurses_end(void) {
    if (!screen) return;
    curses.endwin();
    curses.delscreen(screen);
    screen = NULL;
}

void ccurses_size(int *rows, int *columns) {
    *rows = curses.getmaxy(*curses.stdscr);
    *columns = curses.getmaxx(*curses.stdscr);
}

int ccurses_key(void) { return curses.wgetch(*curses.stdscr); }

void ccurses_clear(void) { curses.werase(*curses.stdscr); }

void ccurses_write(int row, int column, const char *text, int style) {
    int attributes = is_coloured ? style & 0x700 : 0;
    if (style & CCURSES_BOLD) attributes |= BOLD;
    if (style & CCURSES_DIM) attributes |= DIM;
    if (style & CCURSES_REVERSE) attributes |= REVERSE;
    curses.wattrset(*curses.stdscr, attributes);
    if (curses.wmove(*curses.stdscr, row, column) == 0) curses.waddnstr(*curses.stdscr, text, -1);
}

void ccurses_show(void) {
    curses.wnoutrefresh(*curses.stdscr);
    curses.doupdate();
}
