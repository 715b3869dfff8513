/* Processes, and what they may not be misled about. */
#ifndef CPROCESS_H
#define CPROCESS_H

/* From now on a descendant that loses its parent becomes a child of this process; -1 and errno when that fails. */
int cprocess_adopt_orphans(void);

/* Opens what has a name in a folder only to look at it, without following a link; -1 and errno when that fails. */
int cprocess_open_place(int folder, const char *name);

#endif
