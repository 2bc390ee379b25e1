import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';

export interface StartOptions {
  cwd?: string;
  env?: Record<string, string>;
  /** Its own process group, ended as a whole: for commands that start others. */
  group?: boolean;
  /** Keeps standard input open, for programs that end when it closes. */
  stdin?: boolean;
}

/** A program that a test started, and ends by its own process id. */
export class Program {
  private constructor(
    private readonly name: string,
    private readonly child: ChildProcess,
    private readonly group: boolean,
    readonly output: string[],
    private readonly exited: Promise<void>,
  ) {}

  static start(command: string, args: string[], options: StartOptions = {}): Program {
    const child = spawn(command, args, {
      cwd: options.cwd,
      env: { ...process.env, ...options.env },
      detached: options.group ?? false,
      stdio: [options.stdin ? 'pipe' : 'ignore', 'pipe', 'pipe'],
    });
    const output: string[] = [];
    for (const stream of [child.stdout, child.stderr]) {
      stream?.setEncoding('utf8').on('data', (text: string) => output.push(text));
    }
    const exited = new Promise<void>((resolve) => {
      child.once('close', () => resolve());
      child.once('error', (error) => {
        output.push(String(error));
        resolve();
      });
    });
    return new Program([command, ...args].join(' '), child, options.group ?? false, output, exited);
  }

  get text(): string {
    return this.output.join('');
  }

  /** The first match in what the program prints; fails with all of it when the program ends before. */
  async prints(pattern: RegExp): Promise<RegExpMatchArray> {
    let ended = false;
    void this.exited.then(() => (ended = true));
    for (;;) {
      const match = this.text.match(pattern);
      if (match) return match;
      if (ended) throw new Error(`${this.name} ended without printing ${pattern}\n${this.text}`);
      await Promise.race([this.exited, ...this.nextOutput()]);
    }
  }

  async stop(): Promise<void> {
    this.child.stdin?.end();
    this.signal('SIGTERM');
    const insist = setTimeout(() => this.signal('SIGKILL'), 10_000);
    await this.exited;
    clearTimeout(insist);
  }

  /** For programs that end by themselves once their standard input is closed. */
  async closeInput(): Promise<void> {
    this.child.stdin?.end();
    await this.exited;
  }

  private signal(name: NodeJS.Signals): void {
    const pid = this.child.pid;
    if (pid === undefined || this.child.exitCode !== null || this.child.signalCode !== null) return;
    process.kill(this.group ? -pid : pid, name);
  }

  private nextOutput(): Promise<unknown>[] {
    const streams = [this.child.stdout, this.child.stderr];
    return streams.flatMap((stream) => (stream && !stream.closed ? [once(stream, 'data')] : []));
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
