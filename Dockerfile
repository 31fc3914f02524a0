# One image for bot, daemon and command line: Node runs the TypeScript as it is, nothing is built.
# Compilers are in neither stage: no package of Oikos needs its install script (--ignore-scripts).

FROM node:24.21.0-bookworm-slim AS packages
WORKDIR /app
COPY package.json package-lock.json ./
COPY vendor vendor
RUN npm ci --omit=dev --ignore-scripts --no-audit --no-fund

FROM node:24.21.0-bookworm-slim
# What runs needs no package manager.
RUN rm -rf /usr/local/lib/node_modules /opt/yarn-* \
    /usr/local/bin/npm /usr/local/bin/npx /usr/local/bin/corepack \
    /usr/local/bin/yarn /usr/local/bin/yarnpkg
ENV NODE_ENV=production
# As in shared/node-flags.ts.
ENV NODE_OPTIONS="--disable-warning=ExperimentalWarning --max-semi-space-size=4 --expose-gc"
WORKDIR /app
COPY --from=packages /app/node_modules node_modules
COPY package.json SOUL.md ./
COPY vendor vendor
COPY drizzle drizzle
COPY shared shared
COPY bot bot
COPY daemon daemon
COPY cli cli
USER node
CMD ["node", "bot/main.ts"]
