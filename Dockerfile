# Server, workers and commands of NoETL in one image, for amd64 and arm64. docs/guides/deploy.md tells how it is used.
# `npm run image:steps` does the same steps in a folder, without Docker.

ARG NODE=22

FROM node:${NODE}-bookworm-slim AS build
WORKDIR /src
COPY package.json package-lock.json tsconfig.json tsconfig.base.json ./
COPY scripts/bundle.mjs scripts/
COPY packages packages
RUN npm ci --include=dev --ignore-scripts --no-audit --no-fund && npm run build
# The program holds the packages of this repository; of others it needs those that it loads as they are.
RUN npm ci --omit=dev --ignore-scripts --no-audit --no-fund && rm -rf node_modules/noetl node_modules/@noetl

FROM node:${NODE}-bookworm-slim
# python3 is for tasks of kind python; tini ends what tasks leave behind.
RUN apt-get update \
  && apt-get install --yes --no-install-recommends ca-certificates python3 tini \
  && rm -rf /var/lib/apt/lists/*
RUN groupadd --gid 10001 noetl \
  && useradd --uid 10001 --gid noetl --no-create-home --home-dir /work --shell /usr/sbin/nologin noetl \
  && install --directory --owner noetl --group noetl --mode 0700 /data /keys /tokens /worker-token /work
COPY --from=build /src/node_modules /opt/noetl/node_modules
COPY --from=build /src/packages/noetl/package.json /opt/noetl/packages/noetl/
COPY --from=build /src/packages/noetl/dist/bundle /opt/noetl/packages/noetl/dist/bundle
RUN chmod 0755 /opt/noetl/packages/noetl/dist/bundle/main.js \
  && ln -s /opt/noetl/packages/noetl/dist/bundle/main.js /usr/local/bin/noetl

# Executions are in /data, the master key of credentials in /keys: who copies the one must not get the other.
ENV NODE_ENV=production NOETL_DATA=/data XDG_CONFIG_HOME=/keys
USER noetl
WORKDIR /work
EXPOSE 8082
ENTRYPOINT ["tini", "--", "noetl"]
CMD ["server", "start", "--host", "0.0.0.0", "--token-file", "admin=/tokens/admin", "--token-file", "worker=/worker-token/token"]
HEALTHCHECK --interval=10s --timeout=5s --start-period=60s CMD ["noetl", "server", "status"]
