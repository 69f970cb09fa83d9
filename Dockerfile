# SPDX-License-Identifier: Apache-2.0
# Longarm in a container: docker build -t longarm . && docker run --rm -v "$PWD:/data" longarm run ur5-waypoints
# The first stage makes the Debian package, the second installs it with what it needs to run.
FROM debian:12 AS build
WORKDIR /longarm
# a layer of its own, so that a changed source does not install everything again
COPY dev packages.txt ./
RUN ./dev setup packaging
COPY . .
RUN ./dev package

FROM debian:12
COPY --from=build /longarm/build/release/package/*.deb /tmp/longarm.deb
RUN apt-get update \
    && apt-get install -y --no-install-recommends /tmp/longarm.deb openmpi-bin \
    && rm -rf /var/lib/apt/lists/* /tmp/longarm.deb
# results are written to runs/ of the folder that you mount here
WORKDIR /data
ENTRYPOINT ["longarm"]
CMD ["--help"]
