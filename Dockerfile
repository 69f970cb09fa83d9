# SPDX-License-Identifier: Apache-2.0
# Longarm in a container: docker build -t longarm . && docker run --rm longarm run ur5-waypoints
# The first stage builds and installs the program, the second has only what it needs to run.
FROM debian:12 AS build
WORKDIR /longarm
COPY packages.txt ./
# only what the program needs: `./dev setup` would add the packages of the tests
RUN sed -n '/^# -- to test/q; /^[a-z]/{s/?$//;p}' packages.txt > wanted.txt \
    && apt-get update \
    && xargs -a wanted.txt apt-get install -y --no-install-recommends \
    && rm -rf /var/lib/apt/lists/*
COPY . .
RUN ./dev build release && cmake --install build/release --prefix /opt/longarm

FROM debian:12
COPY --from=build /longarm/wanted.txt /tmp/wanted.txt
# the libraries come with their development packages, which keeps one list of packages
RUN apt-get update \
    && grep -E '^(lib|zlib|openmpi)' /tmp/wanted.txt | xargs apt-get install -y --no-install-recommends \
    && rm -rf /var/lib/apt/lists/* /tmp/wanted.txt
COPY --from=build /opt/longarm /opt/longarm
ENV PATH=/opt/longarm/bin:$PATH
# results are written to runs/ of the folder that you mount here
WORKDIR /data
ENTRYPOINT ["longarm"]
CMD ["--help"]
