#ifndef EAR_FILES_H
#define EAR_FILES_H

#include <stdbool.h>
#include <stddef.h>

/* The files of one command: what it reads and what it writes. No file that is read may be written
 * over, and no two outputs may go to one file, under whatever names: links, names of files that are
 * not there yet, /dev/stdout, named pipes.
 *
 * Every command says all its files before it opens the first output. The list is that of the
 * process, which runs one command.
 */

/* The command reads path as what option says ("-d", "--elf"; "" for its argument); "-" is standard
 * input. Returns false after printing why that cannot be.
 */
bool files_read(const char *option, const char *path);

/* The command reads all of these, any number of them, which stay the caller's. Outputs that come
 * later are held against them; standard input is not one of them. */
void files_read_all(char *const *paths, size_t path_count);

/* The command writes path; "-" is standard output. As files_read. */
bool files_write(const char *option, const char *path);

/* Open a file that the command writes, locked (common/output_file.h); "-" is standard output. It
 * keeps what it holds until files_begin. At most one file waits for that. Returns -1 after printing
 * why not.
 */
int files_open(const char *path);

/* There is something to write: empty the file that was opened. It is called before the first byte,
 * and may be called again. A command whose input is no trace does not, and leaves the file alone.
 */
void files_begin(void);

/* Everything that a device name (docs/usb.md) says of files: a dump, a program, where the virtual
 * board writes its UART, a token. As files_read.
 */
bool files_device(const char *device);

/* The path of a folder that is installed beside this program, share/earshot/NAME, or of the same
 * one in a build folder. Returns false after printing that it is not there.
 */
bool files_installed(char *path, size_t size, const char *name);

/* Forget everything: for tests. */
void files_clear(void);

#endif
