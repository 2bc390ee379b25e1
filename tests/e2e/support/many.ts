import { expect } from '@playwright/test';

/** Creates pods with as many requests at a time as the API server likes; answers their names, sorted. */
export async function createPods(origin: string, namespace: string, total: number): Promise<string[]> {
  const names = Array.from({ length: total }, (_, index) => `pod-${String(index).padStart(5, '0')}`);
  const waiting = [...names];
  const work = async () => {
    for (let name = waiting.pop(); name !== undefined; name = waiting.pop()) {
      await createPod(origin, namespace, name);
    }
  };
  await Promise.all(Array.from({ length: 16 }, work));
  return names;
}

async function createPod(origin: string, namespace: string, name: string): Promise<void> {
  const pod = {
    apiVersion: 'v1',
    kind: 'Pod',
    // Left alone by the fake kubelet and placed by hand: both would need longer than all the rest.
    metadata: { name, labels: { 'watchglass.dev/load': 'e2e' } },
    spec: {
      nodeName: 'node-1',
      // Deleted at once, with the namespace.
      terminationGracePeriodSeconds: 0,
      containers: [{ name: 'app', image: 'registry.example/app:1' }],
    },
  };
  const response = await fetch(`${origin}/api/v1/namespaces/${namespace}/pods`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(pod),
  });
  expect(response.status, await response.text()).toBe(201);
}
