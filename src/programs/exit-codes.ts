/** How the programs end (sysexits.h for 64 and 78). */
export const EXIT_OK = 0;
export const EXIT_FAILURE = 1;
/** The command line was wrong. */
export const EXIT_USAGE = 64;
/** The settings or the runtime were wrong. */
export const EXIT_CONFIG = 78;
