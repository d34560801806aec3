// The versions of a definition: who changed it when, what each changed, and the way back.

import { post, read } from "./api.js";
import { ask } from "./dialog.js";
import { element, table } from "./dom.js";
import { clock } from "./format.js";
import { mayChange } from "./session.js";
import { toast } from "./toast.js";

/** Lines that a change removes and adds. */
export function diffLines(lines) {
  return element("pre", { class: "log diff" }, lines.map((line) => element("span", { class: line.startsWith("+") ? "added" : line.startsWith("-") ? "removed" : null }, line + "\n")));
}

/** A card for the definition of a kind with that name; load() reads it, changed is called after a rollback. */
export function versionsCard(kind, name, changed) {
  const path = "/v1/definitions/" + kind + "/" + encodeURIComponent(name);
  const back = (v) => mayChange() ? element("button", { type: "button", onclick: () => rollBack(v.version) }, "Roll back") : "";
  const versions = table([
    { title: "Version", number: true, cell: (v) => v.version },
    { title: "Applied", cell: (v) => clock(v.appliedAt) },
    { title: "By", cell: (v) => v.author },
    { title: "Changes", cell: (v) => v.diff?.length ? element("details", {}, element("summary", {}, v.diff.length + (v.diff.length === 1 ? " line" : " lines")), diffLines(v.diff)) : v.version === 1 ? "first version" : "" },
    { title: "", cell: (v) => v.inForce ? "in force" : back(v) },
  ], (v) => v.version, "No versions.");
  const whole = element("section", { class: "card", hidden: true }, element("h2", {}, "Versions"), versions.whole);
  let known = 0;
  // The version in force, as the table shows it; 0 if none is.
  let newest = 0;
  async function rollBack(version) {
    const deleted = known === null;
    const expect = newest;
    try {
      const trial = await post(path + "/rollback", { version, dryRun: true, expect });
      const answer = await ask({ title: "Roll back to version " + version + "?", action: "Roll back",
        words: deleted ? "The " + kind + " is created again with the content of version " + version + ", as a new version. What was dropped does not come back."
          : trial.diff.length ? "A new version with the content of version " + version + " is created; " + trial.diff.length + " lines change. Running work keeps its version." : "Its content is that of the version in force; nothing changes.",
        attempt: () => post(path + "/rollback", { version, expect }) });
      if (!answer) return;
      toast("Version " + version + " is in force again, as a new version.", true);
      known = 0;
      await changed();
    } catch (failure) {
      toast(failure.message);
    }
  }
  async function show(current) {
    const all = await read(path + "/history");
    known = current;
    newest = current === null ? 0 : Math.max(...all.map((one) => one.version));
    versions.show(all.map((one) => ({ ...one, inForce: one.version === newest })));
    whole.hidden = all.length === 0;
  }
  return {
    whole,
    /** Reads the versions if the one in force is another than at the last time. */
    async load(current) {
      if (current !== known) await show(current);
    },
    /** Reads the versions of a definition that is not in force; fails if it never was. */
    loadDeleted: () => show(null),
  };
}
