#ifndef EAR_OUTLET_H
#define EAR_OUTLET_H

/* Whatever this program prints goes through here: stdout and stderr become streams that let pass
 * only what may be shown (common/printable.h), lines of it. So no message and no table can forget
 * to clean what came from a file, a device or the network. Bytes that are written to the
 * descriptors themselves, which are capture files and texts (decoder/text/text_output.h), do not.
 *
 * To be called once, before anything is printed. Without memory for it everything is as it was.
 */
void outlet_install(void);

#endif
