// A Deployment for a first look: plain processes of this machine, as pods.
export const demo = {
  apiVersion: "apps/v1",
  kind: "Deployment",
  metadata: { name: "hello", labels: { app: "hello" } },
  spec: {
    replicas: 3,
    selector: { matchLabels: { app: "hello" } },
    template: {
      metadata: { labels: { app: "hello" } },
      spec: {
        terminationGracePeriodSeconds: 2,
        // There is no cluster DNS.
        dnsPolicy: "Default",
        containers: [
          {
            name: "hello",
            image: "host",
            imagePullPolicy: "Never",
            command: [
              "sh",
              "-c",
              'trap "exit 0" TERM; while :; do echo "hello from $HOSTNAME"; sleep 5 & wait $!; done',
            ],
            resources: { requests: { cpu: "10m", memory: "16Mi" } },
            readinessProbe: { exec: { command: ["true"] }, periodSeconds: 5 },
          },
        ],
      },
    },
  },
};
