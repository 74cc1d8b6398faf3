# Sourced by ./shardplan and ./check: find_jdk sets and exports JAVA_HOME to a JDK of release 25 or newer.
# JAVA_HOME first, then `java` on PATH, then the usual places (25 itself before newer ones).
# Releases are read from the JDK's own `release` file: starting each java to ask would cost more than the whole search.

jdk_wanted=25

# jdk_release HOME: sets $release to its feature release, or fails when HOME is no JDK (a compiler is needed, not only a java)
jdk_release() {
  local line
  release=
  [ -x "$1/bin/java" ] && [ -x "$1/bin/javac" ] && [ -r "$1/release" ] || return 1
  while IFS= read -r line; do
    case $line in
      JAVA_VERSION=*) line=${line#*=\"}; release=${line%%[!0-9]*}; break ;;
    esac
  done <"$1/release"
  [ -n "$release" ]
}

# java_on_path: prints the home of the `java` on PATH, links followed
java_on_path() {
  local java target
  java=$(command -v java) || return 1
  while [ -L "$java" ]; do
    target=$(readlink "$java")
    case $target in /*) java=$target ;; *) java=${java%/*}/$target ;; esac
  done
  java=${java%/*}
  printf '%s\n' "${java%/*}"
}

find_jdk() {
  local home newer='' release
  if [ -n "${JAVA_HOME:-}" ] && jdk_release "$JAVA_HOME" && [ "$release" -ge $jdk_wanted ]; then
    export JAVA_HOME
    return 0
  fi
  for home in "$(java_on_path)" /usr/lib/jvm/* /usr/java/* /opt/java/* /opt/jdk* \
    /Library/Java/JavaVirtualMachines/*/Contents/Home "${HOME:-}"/Library/Java/JavaVirtualMachines/*/Contents/Home \
    /opt/homebrew/opt/openjdk*/libexec/openjdk.jdk/Contents/Home /usr/local/opt/openjdk*/libexec/openjdk.jdk/Contents/Home \
    "${SDKMAN_DIR:-${HOME:-}/.sdkman}"/candidates/java/* "${HOME:-}"/.jdks/*; do
    jdk_release "$home" || continue
    if [ "$release" -eq $jdk_wanted ]; then
      export JAVA_HOME=$home
      return 0
    fi
    [ "$release" -lt $jdk_wanted ] || newer=${newer:-$home}
  done
  if [ -n "$newer" ]; then
    export JAVA_HOME=$newer
    return 0
  fi
  echo "shardplan: no JDK $jdk_wanted found (JAVA_HOME is ${JAVA_HOME:-not set}; also looked at java on PATH and in the usual places)." >&2
  echo "Maybe install one: Temurin $jdk_wanted (\`apt install temurin-25-jdk\`, \`brew install openjdk@25\`, \`sdk install java 25-tem\`), or set JAVA_HOME." >&2
  return 1
}
