import { type ChildProcess, spawn } from 'node:child_process';
import { createServer } from 'node:net';

export interface StartOptions {
  cwd?: string;
  env?: Record<string, string>;
  /** Its own process group, ended as a whole: for commands that start others. */
  group?: boolean;
  /** Keeps standard input open, for programs that end when it closes. */
  stdin?: boolean;
}

/** What a test that broke off has not stopped ends with the process that runs it. */
const running = new Set<Program>();
process.once('exit', () => running.forEach((program) => program.signal('SIGTERM')));

/** A program that a test started, and ends by its own process id. */
export class Program {
  /** All that it has printed so far. */
  text = '';
  private hasEnded = false;
  private exitCode: number | null = null;
  /** Called at each print, and at the end. */
  private readonly watchers = new Set<() => void>();

  private constructor(
    private readonly name: string,
    private readonly child: ChildProcess,
    private readonly group: boolean,
  ) {
    const told = () => this.watchers.forEach((watcher) => watcher());
    const print = (text: string) => {
      this.text += text;
      told();
    };
    const end = (code: number | null) => {
      this.hasEnded = true;
      this.exitCode = code;
      running.delete(this);
      told();
    };
    for (const stream of [child.stdout, child.stderr]) stream?.setEncoding('utf8').on('data', print);
    child.once('close', end);
    child.once('error', (error) => {
      print(String(error));
      end(null);
    });
  }

  static start(command: string, args: string[], options: StartOptions = {}): Program {
    const child = spawn(command, args, {
      cwd: options.cwd,
      env: { ...process.env, ...options.env },
      detached: options.group ?? false,
      stdio: [options.stdin ? 'pipe' : 'ignore', 'pipe', 'pipe'],
    });
    const program = new Program([command, ...args].join(' '), child, options.group ?? false);
    running.add(program);
    return program;
  }

  /** The first match in what the program prints; fails with all of it when the program ends before. */
  async prints(pattern: RegExp): Promise<RegExpMatchArray> {
    await this.until(() => pattern.test(this.text) || this.hasEnded);
    const match = this.text.match(pattern);
    if (!match) throw new Error(`${this.name} ended without printing ${pattern}\n${this.text}`);
    return match;
  }

  /** All that it printed, once it has ended well. */
  async succeeds(): Promise<string> {
    await this.until(() => this.hasEnded);
    if (this.exitCode !== 0) throw new Error(`${this.name} failed\n${this.text}`);
    return this.text;
  }

  async stop(): Promise<void> {
    this.signal('SIGTERM');
    const insist = setTimeout(() => this.signal('SIGKILL'), 10_000);
    await this.until(() => this.hasEnded);
    clearTimeout(insist);
  }

  /** Writes to its standard input, which was kept open. */
  write(text: string): void {
    this.child.stdin?.write(text);
  }

  /** For programs that end by themselves once their standard input is closed. */
  async closeInput(): Promise<void> {
    this.child.stdin?.end();
    await this.until(() => this.hasEnded);
  }

  private until(condition: () => boolean): Promise<void> {
    return new Promise((resolve) => {
      const watcher = () => {
        if (!condition()) return;
        this.watchers.delete(watcher);
        resolve();
      };
      this.watchers.add(watcher);
      watcher();
    });
  }

  signal(name: NodeJS.Signals): void {
    const pid = this.child.pid;
    if (pid === undefined || this.hasEnded) return;
    try {
      process.kill(this.group ? -pid : pid, name);
    } catch (error) {
      // It ended by itself a moment ago.
      if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
    }
  }
}

/**
 * A free port below those that the kernel gives to outgoing connections: a server that is stopped and started
 * again finds its port still free.
 */
export async function freePort(): Promise<number> {
  for (let tries = 0; tries < 100; tries++) {
    const port = 20_000 + Math.floor(Math.random() * 12_000);
    if (await isFree(port)) return port;
  }
  throw new Error('no free port between 20000 and 32000');
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });
}
