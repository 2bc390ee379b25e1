import { Program, freePort } from './process';
import { dist, needs } from './where';

/** The real `kubectl proxy`, which serves the page and the API on one origin. */
export class KubectlProxy {
  private program?: Program;

  private constructor(
    private readonly kubectl: string,
    private readonly kubeconfig: string,
    private readonly port: number,
    private readonly prefix: string,
    private readonly www: string,
    private readonly more: string[],
  ) {}

  /** `www` is the folder of the page; `more` are further arguments. */
  static async start(
    kubectl: string,
    kubeconfig: string,
    prefix = '/ui/',
    www = dist,
    more: string[] = [],
  ): Promise<KubectlProxy> {
    const proxy = new KubectlProxy(kubectl, kubeconfig, await freePort(), prefix, www, more);
    await proxy.start();
    return proxy;
  }

  get origin(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  /** Where the page is. */
  get url(): string {
    return this.origin + this.prefix;
  }

  /** Starts it, again too: on the same port. */
  async start(): Promise<void> {
    needs(this.www, 'scripts/part build builds it');
    this.program = Program.start(this.kubectl, [
      'proxy',
      `--kubeconfig=${this.kubeconfig}`,
      `--port=${this.port}`,
      `--www=${this.www}`,
      `--www-prefix=${this.prefix}`,
      ...this.more,
    ]);
    await this.program.prints(/Starting to serve on/);
  }

  async stop(): Promise<void> {
    await this.program?.stop();
  }

  /** At once, in the middle of whatever it does. */
  async kill(): Promise<void> {
    this.program?.signal('SIGKILL');
    await this.program?.stop();
  }
}
