// Leads a browser that was let in from the address that people know to the folder that nobody can guess: the owner's, or else a guest's, whichever lets
// it in now. Anybody may read this file.
(async () => {
  for (const name of ["waypost-folder", "waypost-guest-folder"]) {
    const folder = localStorage.getItem(name);
    if (!/^\/[0-9a-f]{32}\/$/.test(folder)) continue;
    if ((await fetch(folder, { method: "HEAD" })).status !== 401) return location.replace(folder);
  }
})().catch(() => { /* Without storage there is nowhere to go. */ });
