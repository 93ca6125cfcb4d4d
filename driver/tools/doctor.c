/* Everything that a capture from a device needs, checked one by one, each with a remedy. The order
 * is that in which a capture would fail, and a check that needs the one before it is left out if
 * that fails. What is about USB is in doctor_usb.c, which a build without devices does not have.
 */
#include "driver/tools/doctor.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "common/own_file.h"
#include "driver/stream/transport_sim.h"
#include "driver/tools/doctor_usb.h"
#include "driver/tools/finding.h"

#define RULES          "60-earshot.rules"
#define RULES_PATH_MAX 200 /* of a path that a remedy names whole */

static void look_at_board(struct ear_doctor_state *doctor)
{
	char path[PATH_MAX];
	struct ear_report report;

	ear_doctor_subject(doctor, "virtual board");
	if (ear_transport_sim_find_board(path, sizeof(path), &report) == 0)
		ear_doctor_add(doctor, NULL, "%.250s", path);
	else
		ear_doctor_add(doctor,
			"build with EAR_HDL=ON, or install earshot-board beside earshot", "%s",
			report.text);
}

static void look_at_rules(struct ear_doctor_state *doctor)
{
	static const char *const folders[] = {"/etc/udev/rules.d", "/run/udev/rules.d",
		"/usr/local/lib/udev/rules.d", "/usr/lib/udev/rules.d", "/lib/udev/rules.d"};
	char path[128], own[PATH_MAX];

	ear_doctor_subject(doctor, "udev rules");
	for (unsigned i = 0; i < sizeof(folders) / sizeof(folders[0]); i++) {
		snprintf(path, sizeof(path), "%s/" RULES, folders[i]);
		if (access(path, R_OK) == 0) {
			snprintf(doctor->rules, sizeof(doctor->rules),
				"plug it in again, so that %s holds for it", path);
			return ear_doctor_add(doctor, NULL, "%s", path);
		}
	}
	/* The rules that were installed with this program, if udev does not read that folder. */
	if (!ear_own_file(own, sizeof(own), "../lib/udev/rules.d/" RULES, R_OK) ||
		strlen(own) > RULES_PATH_MAX)
		strcpy(own, "udev/" RULES);
	snprintf(doctor->rules, sizeof(doctor->rules),
		"sudo cp '%.*s' /etc/udev/rules.d/ && sudo udevadm control --reload, then plug the "
		"device in again",
		RULES_PATH_MAX, own);
	ear_doctor_add(doctor, doctor->rules, RULES " is not where udev looks for rules");
}

unsigned ear_doctor(ear_finding_sink *sink, void *context, bool opens)
{
	struct ear_doctor_state doctor = {.sink = sink, .context = context};

	look_at_board(&doctor);
	ear_doctor_firmware(&doctor);
	look_at_rules(&doctor);
	ear_doctor_usb(&doctor, opens);
	return doctor.ill;
}
