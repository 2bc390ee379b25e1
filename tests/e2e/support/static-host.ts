import { mkdir, mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { Program, freePort } from './process';
import { needs, root } from './where';

/** A folder of static files below a prefix, as any web server would have it. */
export class StaticHost {
  private constructor(
    private readonly program: Program,
    private readonly folder: string,
    readonly url: string,
  ) {}

  static async start(files: string, prefix: string): Promise<StaticHost> {
    needs(files, 'build it with scripts/build');
    const folder = await mkdtemp(join(tmpdir(), 'watchglass-static-'));
    const place = resolve(join(folder, prefix));
    await mkdir(dirname(place), { recursive: true });
    await symlink(files, place);
    const port = await freePort();
    const sirv = join(root, 'www/node_modules/sirv-cli/bin.js');
    const args = [sirv, folder, '--host', '127.0.0.1', '--port', String(port)];
    const program = Program.start(process.execPath, args);
    await program.prints(new RegExp(`:${port}`));
    return new StaticHost(program, folder, `http://127.0.0.1:${port}${prefix}`);
  }

  async stop(): Promise<void> {
    await this.program.stop();
    await rm(this.folder, { recursive: true, force: true });
  }
}
