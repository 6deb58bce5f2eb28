// Drives `walkon run --debug` with @vscode/debugadapter-testsupport, and looks at the extension as VS Code would.
"use strict";

const assert = require("node:assert");
const { spawn } = require("node:child_process");
const fs = require("node:fs");
const Module = require("node:module");
const path = require("node:path");
const { DebugClient } = require("@vscode/debugadapter-testsupport");

const root = path.resolve(__dirname, "..");
const program = path.resolve(process.argv[2]);
const guard = path.join(root, "scripts/behaviours/guard.lua");
const line = 1 + fs.readFileSync(guard, "utf8").split("\n").findIndex((text) => text.includes('if first ~= "leg" then'));

/** A run of the courtyard that waits at a port, and the port. */
function waiting() {
  const run = spawn(program, ["run", "levels/courtyard.json", "--debug", "0", "--format", "json"], { cwd: root });
  let printed = "";
  run.stdout.on("data", (data) => (printed += data));
  const ended = new Promise((done) => run.on("close", (code) => done({ code, printed })));
  const port = new Promise((done, failed) => {
    let told = "";
    run.stderr.on("data", (data) => {
      told += data;
      const found = /waiting for a client on 127\.0\.0\.1:(\d+)/.exec(told);
      if (found) done(Number(found[1]));
    });
    run.on("close", () => failed(new Error(`the run ended: ${told}`)));
  });
  return { port, ended };
}

async function client(port) {
  const client = new DebugClient("node", "", "walkon");
  client.defaultTimeout = 30000;
  await client.start(port);
  return client;
}

const tests = {
  async "a breakpoint is hit, and the run ends as any other"() {
    const run = waiting();
    const editor = await client(await run.port);
    await Promise.all([
      editor.initializeRequest({ adapterID: "walkon", linesStartAt1: true, columnsStartAt1: true, pathFormat: "path" }),
      editor.waitForEvent("initialized"),
    ]);
    const attached = editor.attachRequest({ port: await run.port });
    const set = await editor.setBreakpointsRequest({ source: { path: guard }, breakpoints: [{ line }] });
    assert.deepStrictEqual(set.body.breakpoints.map((one) => [one.verified, one.line]), [[true, line]]);
    const [stopped] = await Promise.all([
      editor.assertStoppedLocation("breakpoint", { path: guard, line }),
      editor.configurationDoneRequest(),
      attached,
    ]);
    const frame = stopped.body.stackFrames[0];
    const scopes = (await editor.scopesRequest({ frameId: frame.id })).body.scopes;
    assert.deepStrictEqual(scopes.map((scope) => scope.name), ["Locals", "Upvalues", "self"]);
    const { variablesReference } = scopes[0];
    const locals = (await editor.variablesRequest({ variablesReference })).body.variables;
    assert.strictEqual(locals.find((one) => one.name === "first").value, '"leg"');
    const asked = await editor.evaluateRequest({ expression: "self.state.stop + 1", frameId: frame.id });
    assert.strictEqual(asked.body.result, "2");
    const threads = (await editor.threadsRequest()).body.threads;
    const { id: threadId } = threads.find((thread) => thread.name.endsWith(", runs"));
    await Promise.all([editor.waitForEvent("stopped"), editor.nextRequest({ threadId })]);
    await editor.setBreakpointsRequest({ source: { path: guard }, breakpoints: [] });
    await Promise.all([editor.waitForEvent("terminated"), editor.continueRequest({ threadId })]);
    const { code, printed } = await run.ended;
    assert.strictEqual(code, 0);
    const golden = fs.readFileSync(path.join(root, "tests/golden/courtyard.txt"), "utf8");
    const hash = [...golden.matchAll(/"hash":"([0-9a-f]+)"/g)].pop()[1];
    assert.strictEqual(JSON.parse(printed).hash, hash);
  },

  async "the sequences of the test client hold"() {
    const run = waiting();
    const editor = await client(await run.port);
    await editor.initializeRequest({ adapterID: "walkon", linesStartAt1: true, pathFormat: "path" });
    await editor.attachRequest({});
    await editor.setBreakpointsRequest({ source: { path: guard }, breakpoints: [{ line, logMessage: "at {first}" }] });
    await editor.setExceptionBreakpointsRequest({ filters: ["faults"] });
    await editor.setFunctionBreakpointsRequest({ breakpoints: [{ name: "door.changed" }] });
    const [stopped] = await Promise.all([editor.waitForEvent("stopped"), editor.configurationDoneRequest()]);
    assert.strictEqual(stopped.body.reason, "function breakpoint");
    await Promise.all([editor.assertOutput("console", 'at leg'), goOn(editor)]);
    await editor.disconnectRequest({ terminateDebuggee: true });
    assert.strictEqual((await run.ended).code, 0);
  },

  async "the extension starts the adapter as a configuration says"() {
    const registered = {};
    const nothing = () => ({ dispose() {} });
    const vscode = {
      workspace: { getConfiguration: () => ({ get: () => "walkon" }), workspaceFolders: [{ name: "game" }] },
      debug: {
        registerDebugAdapterDescriptorFactory: (type, factory) => ((registered[type] = factory), nothing()),
        registerDebugConfigurationProvider: nothing,
      },
      tasks: { registerTaskProvider: (type, provider) => ((registered.tasks = provider), nothing()) },
      DebugConfigurationProviderTriggerKind: { Dynamic: 2 },
      TaskGroup: { Build: "build", Test: "test" },
      DebugAdapterExecutable: class { constructor(...given) { Object.assign(this, { given }); } },
      DebugAdapterServer: class { constructor(...given) { Object.assign(this, { given }); } },
      ShellExecution: class { constructor(...given) { Object.assign(this, { given }); } },
      Task: class { constructor(...given) { Object.assign(this, { given }); } },
    };
    const load = Module._load;
    Module._load = (name, ...rest) => (name === "vscode" ? vscode : load(name, ...rest));
    const extension = require(path.join(root, "editors/vscode/extension.js"));
    Module._load = load;
    extension.activate({ subscriptions: [] });
    const describe = (configuration) => registered.walkon.createDebugAdapterDescriptor({ configuration }).given;
    const launch = { request: "launch", level: "levels/first.json", seconds: 5, args: ["fast"], cwd: "/game" };
    const words = ["debug", "levels/first.json", "--seconds", "5", "--", "fast"];
    assert.deepStrictEqual(describe(launch), ["walkon", words, { cwd: "/game" }]);
    assert.deepStrictEqual(describe({ request: "attach", port: 4711 }), [4711, "127.0.0.1"]);
    const tasks = registered.tasks.provideTasks().map((task) => task.given[2]);
    assert.deepStrictEqual(tasks, ["check", "test"]);
  },
};

/** Goes on at every stop. */
async function goOn(editor) {
  const on = () => editor.continueRequest({ threadId: 1 }).catch(() => {});
  editor.on("stopped", on);
  await on();
}

(async () => {
  for (const [name, test] of Object.entries(tests)) {
    await test();
    console.log(`ok  ${name}`);
  }
  console.log(`${Object.keys(tests).length} passed`);
  process.exit(0);
})().catch((error) => {
  console.error(error);
  process.exit(1);
});
