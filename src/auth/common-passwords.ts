/**
 * The most frequent passwords in published leaks, and the names of this service, in lower case. The service
 * uses the list only if `PASSWORD_MIN_LENGTH` is at least 8, so shorter passwords are left out.
 */
export const COMMON_PASSWORDS: ReadonlySet<string> = new Set(`
  00000000 0123456789 11111111 11223344 123123123 12341234 123454321 1234554321 12345678 123456789 1234567890
  12345678910 123456789a 1234abcd 1234qwer 147258369 1q2w3e4r 1q2w3e4r5t 1qaz2wsx 1qaz2wsx3edc 1qazxsw2
  22222222 33333333 55555555 66666666 741852963 77777777 789456123 87654321 88888888 963852741 987654321
  9876543210 99999999 a12345678 a1b2c3d4 aa123456 aaaaaaaa abc12345 abcd1234 abcdefgh access14 admin123
  admin1234 admin12345 administrator adobe123 alexander asdf1234 asdfasdf asdfghjkl azertyuiop babygirl
  baseball basketball beautiful blink182 butterfly changeme changeme123 chocolate christian computer corvette
  cristina dragon123 elizabeth fernando football football1 fuckyou1 guest123 hello123 hellohello iloveyou
  iloveyou1 internet jennifer jordan23 letmein1 letmein123 liverpool login123 master123 maverick michelle
  monkey123 p@ssw0rd p@ssword pass1234 passw0rd password password! password1 password12 password123
  password1234 password12345 password123456 password2 princess princess1 q1w2e3r4 q1w2e3r4t5 qazwsxedc
  qweasdzxc qwer1234 qwerty12 qwerty123 qwerty1234 qwerty12345 qwerty123456 qwertyui qwertyuiop qwertyuiop123
  rollcall rollcall1 rollcall123 rootroot samantha secret123 slipknot starwars steelers summer2024 summer2025
  summer2026 sunshine sunshine1 superman superstar sysadmin test1234 testtest trustno1 username victoria
  welcome1 welcome123 welcome1234 whatever winter2024 winter2025 winter2026 zaq12wsx zaq1zaq1 zxcvbnm123
  correcthorsebatterystaple thisismypassword mypassword passwordpassword qwertyqwerty adminadmin
`.trim().split(/\s+/));
