#!/usr/bin/env bash
# Calls every route of a running server with curl, and prints a line for each step. Stops at the first
# unexpected response.
set -u

usage() {
  cat <<'TEXT'
Usage: npm run smoke [-- BASE_URL]      (default http://127.0.0.1:8080)

Registers a user with a random name, and deletes that user in the end.
Needs a server with REGISTRATION=open, and curl.
Exit codes: 0 if all responses are as expected, 1 if not, 64 if the arguments are wrong.
TEXT
}

case "${1:-}" in
  --help) usage; exit 0 ;;
  -*) usage >&2; exit 64 ;;
esac
base=${1:-http://127.0.0.1:8080}
name="smoke-$(od -An -N6 -tx1 /dev/urandom | tr -d ' \n')"
password="$name-password"
answer_body=$(mktemp)
answer_head=$(mktemp)
trap 'rm -f "$answer_body" "$answer_head"' EXIT

# step TITLE STATUSES PATTERN CURL-ARGUMENTS…: expects a response with one of the statuses, and with PATTERN in its head or body.
step() {
  local title=$1 status=$2 pattern=$3 seen
  shift 3
  seen=$(curl --silent --show-error --max-time 30 --output "$answer_body" --dump-header "$answer_head" \
    --write-out '%{http_code}' "$@")
  if [[ " $status " != *" $seen "* ]] || ! cat "$answer_head" "$answer_body" | grep --quiet --ignore-case --fixed-strings -- "$pattern"; then
    printf 'SURPRISE  %s: expected %s with "%s", got %s\n' "$title" "$status" "$pattern" "$seen"
    cat "$answer_head" "$answer_body"
    exit 1
  fi
  printf 'ok  %s  %s\n' "$seen" "$title"
}

json=(--header 'Content-Type: application/json')
user=(--user "$name:$password")

step 'GET /                            greets'                         200 '"message"'            "$base/"
step 'GET /index                       greets'                         200 '"message"'            "$base/index"
step 'GET /livez                       answers'                        200 '"live"'               "$base/livez"
step 'GET /readyz                      reaches the database'           200 '"ready"'              "$base/readyz"
step 'GET /metrics                     shows metrics, if they are on' '200 401 404' 'nosniff'  "$base/metrics"
step 'OPTIONS /                        greets'                         200 '"message"'            -X OPTIONS "$base/"
step 'OPTIONS /index                   greets'                         200 '"message"'            -X OPTIONS "$base/index"
step 'OPTIONS /api/v1/users            answers a preflight'            204 'Authorization, Content-Type, X-Requested-With' -X OPTIONS "$base/api/v1/users"
step 'POST /api/v1/users               registers'                      201 "\"$name\""            "${json[@]}" --data "{\"username\":\"$name\",\"password\":\"$password\",\"email\":\"$name@example.org\"}" "$base/api/v1/users"
step 'POST /api/v1/token               issues a token for a password'  201 '"expiration_date"'    -X POST "${user[@]}" "$base/api/v1/token?expiration=60"
token=$(sed -n 's/.*"token":"\([^"]*\)".*/\1/p' "$answer_body")
bearer=(--header "Authorization: Bearer $token")
step 'GET /api/v1/users/{username}     reads with the token as bearer' 200 "\"$name\""            "${bearer[@]}" "$base/api/v1/users/$name"
step 'GET /api/v1/users/{username}     reads with the token as name'   200 "\"$name\""            --user "$token:" "$base/api/v1/users/$name"
step 'GET /api/v1/users                searches'                       200 'Count: 1'             "${bearer[@]}" "$base/api/v1/users?contains=$name"
step 'GET /api/v1/users                sorts'                          200 "\"$name\""            "${bearer[@]}" "$base/api/v1/users?contains=$name&sort=-username"
step 'GET /api/v1/user                 tells who is calling'           200 '"sign_in":"token"'    "${bearer[@]}" "$base/api/v1/user"
step 'GET /api/v1/verify               names the caller to a proxy'    204 'Remote-User: '         "${bearer[@]}" "$base/api/v1/verify"
step 'POST /api/v1/introspect          tells that a token is active'   200 '"active":true'        "${bearer[@]}" --data-urlencode "token=$token" "$base/api/v1/introspect"
step 'POST /api/v1/tokens              issues a token that may read'   201 '"read_only"'          -X POST "${bearer[@]}" "${json[@]}" --data '{"name":"smoke","scope":"read_only"}' "$base/api/v1/tokens"
reader=(--header "Authorization: Bearer $(sed -n 's/.*"token":"\([^"]*\)".*/\1/p' "$answer_body")")
reader_id=$(sed -n 's/.*"id":\([0-9]*\).*/\1/p' "$answer_body")
step 'GET /api/v1/tokens               lists with the read-only token' 200 'Count: 2'             "${reader[@]}" "$base/api/v1/tokens"
step 'GET /api/v1/tokens/{id}          reads'                          200 'ETag: '               "${bearer[@]}" "$base/api/v1/tokens/$reader_id"
step 'DELETE /api/v1/tokens/{id}       revokes'                        200 '"deleted"'            -X DELETE "${bearer[@]}" "$base/api/v1/tokens/$reader_id"
step 'POST …/{username}/password_link  is for administrators'          403 'forbidden'            -X POST "${bearer[@]}" "$base/api/v1/users/$name/password_link"
step 'GET /api/v1/audit_events         is for administrators'          403 'forbidden'            "${bearer[@]}" "$base/api/v1/audit_events"
step 'PATCH /api/v1/users/{username}   changes'                        200 'smoke@example.org'    -X PATCH "${bearer[@]}" "${json[@]}" --data '{"email":"smoke@example.org"}' "$base/api/v1/users/$name"
tag=$(sed -n 's/^[Ee][Tt]ag: \(.*\)\r$/\1/p' "$answer_head")
step 'GET /api/v1/users/{username}     is not modified'                304 'ETag: '               "${bearer[@]}" --header "If-None-Match: $tag" "$base/api/v1/users/$name"
step 'PUT …/{username}/password        changes the password'           200 '"changed"'            -X PUT "${bearer[@]}" "${json[@]}" --data "{\"password\":\"new $password\",\"current_password\":\"$password\"}" "$base/api/v1/users/$name/password"
step 'POST /api/v1/projects            creates'                        201 'Location: '           "${bearer[@]}" "${json[@]}" --data "{\"name\":\"$name\",\"description\":\"made by the smoke test\"}" "$base/api/v1/projects"
step 'GET /api/v1/projects             lists by owner'                 200 'Count: 1'             "${bearer[@]}" "$base/api/v1/projects?owner=$name"
step 'GET /api/v1/projects/{name}      reads'                          200 'made by the smoke'    "${bearer[@]}" "$base/api/v1/projects/$name"
step 'GET /api/v1/verify/{name}        lets the owner pass'            204 'Remote-Project: '      "${bearer[@]}" "$base/api/v1/verify/$name"
step 'PATCH /api/v1/projects/{name}    changes'                        200 'changed'              -X PATCH "${bearer[@]}" "${json[@]}" --data '{"description":"changed"}' "$base/api/v1/projects/$name"
step 'DELETE /api/v1/users/{username}  refuses a token'                403 'password-needed'      -X DELETE "${bearer[@]}" "$base/api/v1/users/$name"
step 'DELETE /api/v1/projects/{name}   deletes'                        200 '"deleted"'            -X DELETE "${bearer[@]}" "$base/api/v1/projects/$name"
step 'DELETE /api/v1/token             revokes'                        200 '"deleted"'            -X DELETE "${bearer[@]}" "$base/api/v1/token"
step 'GET /api/v1/users                refuses the revoked token'      401 'unauthenticated'      "${bearer[@]}" "$base/api/v1/users"
step 'DELETE /api/v1/tokens            revokes all'                    200 '"deleted"'            -X DELETE --user "$name:new $password" "$base/api/v1/tokens"
step 'DELETE /api/v1/users/{username}  deletes the account'            200 '"deleted"'            -X DELETE --user "$name:new $password" "$base/api/v1/users/$name"
step 'GET /api/v1/openapi.json         describes the API'              200 '"openapi":"3.0.4"'    "$base/api/v1/openapi.json"
step 'GET /static/index.html           serves a page'                  200 'text/html'            "$base/static/index.html"
step 'GET /static/problems.html        explains an error'              200 'id="not-found"'       "$base/static/problems.html#not-found"
step 'HEAD /static/css/site.css        has no body'                    200 'text/css'             --head "$base/static/css/site.css"
step 'GET /static/../package.json      stays in the folder'            404 'not-found'            --path-as-is "$base/static/../package.json"
step 'GET /nowhere                     is not found'                   404 'application/problem+json' "$base/nowhere"
step 'PUT /api/v1/users                is not allowed'                 405 'Allow: '              -X PUT "$base/api/v1/users"
echo "All as expected at $base"
