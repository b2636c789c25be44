/**
 * Passwords that attackers try first: the most frequent ones of published leaks, and the names of this
 * service. The list is in lower case. Each word is also refused in capitals and with a capital first
 * letter.
 */
const WORDS = `
  000000 00000000 0123456789 1111 11111 111111 1111111 11111111 111222 112233 11223344 121212 123 123123
  123123123 123321 1234 12341234 12345 123454321 1234554321 123456 1234561 1234567 12345678 123456789
  1234567890 12345678910 123456a 123456789a 12345a 1234abcd 1234qwer 123abc 123qwe 131313 147258 147258369
  159357 159753 1q2w3e 1q2w3e4r 1q2w3e4r5t 1qaz2wsx 1qaz2wsx3edc 1qazxsw2 222222 22222222 232323 246810 252525
  321321 333333 33333333 369369 4321 444444 456456 456789 54321 555555 55555555 654321 666666 66666666 696969
  741852 741852963 7654321 777777 7777777 77777777 789456 789456123 87654321 888888 88888888 963852741 987654
  987654321 9876543210 999999 99999999 a123456 a12345678 a1b2c3 a1b2c3d4 aa123456 aaa111 aaaaaa aaaaaaaa abc
  abc123 abc1234 abc12345 abcabc abcd abcd1234 abcde abcdef abcdefg abcdefgh access access14 admin admin1
  admin12 admin123 admin1234 admin12345 administrator adobe123 alexander amanda andrea andrew angel angels
  anthony apple asd123 asdasd asdf asdf1234 asdfasdf asdfgh asdfghjkl ashley asshole austin azerty azertyuiop
  babygirl baseball basketball batman beautiful biteme blink182 bond007 bubbles buster butterfly changeme
  changeme123 charlie cheese chelsea chicken chocolate christian computer cookie corvette cowboy cristina
  dallas daniel default diamond dragon dragon123 elizabeth eminem fernando flower football football1 forever
  freedom friends fuckoff fuckyou fuckyou1 george ginger guest guest123 hannah harley heather hello hello123
  hellohello hockey hunter hunter2 iloveu iloveyou iloveyou1 internet jasmine jennifer jessica jesus jordan
  jordan23 joshua justin killer klaster letmein letmein1 letmein123 liverpool login login123 london lovely
  loveme loveyou maggie manager marina martin master master123 matrix matthew maverick merlin michael michelle
  monkey monkey123 mustang mynoob naruto nicole ninja nothing number1 oracle orange p@ssw0rd p@ssword parola
  pass pass123 pass1234 passw0rd password password! password1 password12 password123 password1234
  password12345 password123456 password2 patrick pepper pokemon princess princess1 purple q1w2e3 q1w2e3r4
  q1w2e3r4t5 qazwsx qazwsxedc qwe123 qweasd qweasdzxc qweqwe qwer1234 qwerty qwerty1 qwerty12 qwerty123
  qwerty1234 qwerty12345 qwerty123456 qwertyu qwertyui qwertyuiop qwertyuiop123 ranger rockyou rollcall
  rollcall1 rollcall123 root root123 rootroot samantha samsung scooter secret secret123 senha service shadow
  silver slipknot soccer sophie starwars steelers summer summer2024 summer2025 summer2026 sunshine sunshine1
  superman superstar support sysadmin taylor temp temp123 test test1 test123 test1234 testing tester testtest
  thomas thunder tigger tinkle trustno1 user user123 username vanessa victoria welcome welcome1 welcome123
  welcome1234 whatever william winter winter2024 winter2025 winter2026 yankees yellow zaq12wsx zaq1zaq1 zxcvbn
  zxcvbnm zxcvbnm123 correcthorsebatterystaple thisismypassword mypassword passwordpassword qwertyqwerty
  adminadmin
`.trim().split(/\s+/);

export const COMMON_PASSWORDS: readonly string[] = [
  ...new Set(WORDS.flatMap((word) => [
    word, word.toUpperCase(), word.charAt(0).toUpperCase() + word.slice(1),
  ])),
];
