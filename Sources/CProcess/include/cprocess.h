/* Processes. */
#ifndef CPROCESS_H
#define CPROCESS_H

/* From now on a descendant that loses its parent becomes a child of this process; -1 and errno when that fails. */
int cprocess_adopt_orphans(void);

#endif
