// walkon in VS Code: the debugger, tasks for `check` and `test`. Plain JavaScript; nothing is built.
"use strict";

const vscode = require("vscode");

/** The program, as the settings or a configuration name it. */
function program(folder, configuration = {}) {
  return configuration.program || vscode.workspace.getConfiguration("walkon", folder).get("program") || "walkon";
}

/** The words after `walkon` for a launch configuration. */
function words(configuration) {
  const words = ["debug", configuration.level];
  for (const option of ["seconds", "ticks", "seed", "until", "speed"]) {
    if (configuration[option] !== undefined) words.push(`--${option}`, String(configuration[option]));
  }
  const given = configuration.args || [];
  return given.length > 0 ? [...words, "--", ...given] : words;
}

/** Starts `walkon debug`, or connects to a run that waits at a port. */
class Adapters {
  createDebugAdapterDescriptor(session) {
    const configuration = session.configuration;
    if (configuration.request === "attach") {
      return new vscode.DebugAdapterServer(configuration.port, "127.0.0.1");
    }
    const folder = session.workspaceFolder;
    const cwd = configuration.cwd || (folder && folder.uri.fsPath);
    return new vscode.DebugAdapterExecutable(program(folder, configuration), words(configuration), { cwd });
  }
}

/** Configurations without a file: one for each level of the workspace. */
class Configurations {
  async provideDebugConfigurations() {
    const levels = await vscode.workspace.findFiles("levels/*.json", "**/*.schema.json", 100);
    return levels.map((level) => {
      const path = vscode.workspace.asRelativePath(level, false);
      return { type: "walkon", request: "launch", name: `Debug ${path}`, level: path };
    });
  }

  async resolveDebugConfiguration(_folder, configuration) {
    if (configuration.type) return configuration;
    // F5 without a launch.json.
    return (await this.provideDebugConfigurations())[0];
  }
}

/** `walkon check .` and `walkon test` for every folder, and whatever a tasks.json asks for. */
class Tasks {
  provideTasks() {
    const folders = vscode.workspace.workspaceFolders || [];
    return folders.flatMap((folder) => [
      this.task(folder, { type: "walkon", command: "check", args: ["."] }),
      this.task(folder, { type: "walkon", command: "test" }),
    ]);
  }

  resolveTask(task) {
    return task.definition.command ? this.task(task.scope, task.definition) : undefined;
  }

  task(folder, definition) {
    const run = new vscode.ShellExecution(program(folder), [definition.command, ...(definition.args || [])]);
    const task = new vscode.Task(definition, folder, definition.command, "walkon", run, "$walkon");
    if (definition.command === "check") task.group = vscode.TaskGroup.Build;
    if (definition.command === "test") task.group = vscode.TaskGroup.Test;
    return task;
  }
}

function activate(context) {
  const configurations = new Configurations();
  const dynamic = vscode.DebugConfigurationProviderTriggerKind.Dynamic;
  context.subscriptions.push(
    vscode.debug.registerDebugAdapterDescriptorFactory("walkon", new Adapters()),
    vscode.debug.registerDebugConfigurationProvider("walkon", configurations),
    vscode.debug.registerDebugConfigurationProvider("walkon", configurations, dynamic),
    vscode.tasks.registerTaskProvider("walkon", new Tasks()),
  );
}

function deactivate() {}

module.exports = { activate, deactivate, words };
