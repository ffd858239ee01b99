# The program alone: `docker build -t trainplan .`, `docker run --rm -v "$PWD:/work" trainplan plan my.yaml`.
FROM debian:12 AS build
RUN apt-get update && apt-get install -y --no-install-recommends g++ cmake ninja-build libyaml-cpp-dev libcli11-dev \
    libeigen3-dev libfmt-dev libboost-dev nlohmann-json3-dev libtomlplusplus-dev zlib1g-dev libsqlite3-dev binutils
COPY . /src
WORKDIR /src
RUN cmake --preset release -DTRAINPLAN_TESTS=OFF && cmake --build build/release --target trainplan && \
    strip -o /trainplan build/release/cli/trainplan

FROM scratch
COPY --from=build /trainplan /usr/bin/trainplan
WORKDIR /work
ENTRYPOINT ["/usr/bin/trainplan"]
